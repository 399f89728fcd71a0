// Uses the code that the csharp pack made, and answers the runner: see run_packs.py for the commands.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Generated;

public static class Program
{
    private static void Expect(bool condition, string what)
    {
        if (!condition) throw new InvalidOperationException("not so: " + what);
    }

    private static void Use()
    {
        Expect(EveryRowEnumRequiredText.Parse("south_east") == EveryRowEnumRequired.SouthEast, "members");
        Expect(EveryRowEnumRequiredText.Of(EveryRowEnumRequired.Class) == "class", "the stored text");
        try
        {
            GradeText.Parse("Z");
            Expect(false, "a text that is no member is refused");
        }
        catch (FormatException error)
        {
            Expect(error.Message.Contains('Z'), "the message names it");
        }
        var garden = new Garden { Beds = new List<Bed>(), Note = new BetaNote { Number = 2 }, Own = new AlphaNote { Text = "x" } };
        var bed = new Bed { Name = "n", Parts = new List<Bed> { new() }, Garden = garden };
        Expect(bed == (bed with { }) && bed.Below is null, "records are values");
        Expect(Tables.Odd.TableName == "an \"odd\" $table", "the name of a table");
        Expect(Tables.Odd.KeyColumn == "the \"key\" \\$k", "the name of a column");
    }

    private static void Show(IEnumerable<StartupCheck.Problem> problems)
    {
        foreach (var problem in problems) Console.WriteLine(problem.Code + " " + problem.Message);
    }

    public static int Main(string[] arguments)
    {
        switch (arguments[0])
        {
            case "use":
                Use();
                break;
            case "check":
                Show(StartupCheck.Check(arguments[1]));
                break;
            case "require":
                try
                {
                    StartupCheck.Require(StartupCheck.Check(arguments[1]));
                }
                catch (StartupCheck.StartupDriftException error)
                {
                    Console.Error.WriteLine(error.Message);
                    return 1;
                }
                Console.WriteLine("started");
                break;
            case "sql":
                StartupCheck.CheckDatabase(arguments[1], sql =>
                {
                    Console.Out.Write(sql);
                    Console.Out.Flush();
                    Environment.Exit(0);
                    return System.Array.Empty<object?[]>();
                });
                break;
            default:
                Show(StartupCheck.CheckDatabase(arguments[1], sql => File.ReadAllText(arguments[2]).Split('\u001e')
                    .Where(line => line.Length > 0).Select(line => line.Split('\u001f').Cast<object?>().ToArray()).ToArray()));
                break;
        }
        return 0;
    }
}
