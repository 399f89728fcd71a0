// Uses the code that the java pack made, and answers the runner: see run_packs.py for the commands.
import generated.Enums;
import generated.StartupCheck;
import generated.Tables;
import generated.alpha.AlphaNote;
import generated.alpha.Bed;
import generated.alpha.Garden;
import generated.beta.BetaNote;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Main {
  // As much JSON as a model holds.
  private static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Object value() {
      blanks();
      char c = text.charAt(at);
      if (c == '{') {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        for (blanks(); text.charAt(at) != '}'; blanks()) {
          at += text.charAt(at) == ',' ? 1 : 0;
          String key = (String) value();
          blanks();
          at++;
          map.put(key, value());
        }
        at++;
        return map;
      }
      if (c == '[') {
        List<Object> list = new ArrayList<>();
        at++;
        for (blanks(); text.charAt(at) != ']'; blanks()) {
          at += text.charAt(at) == ',' ? 1 : 0;
          list.add(value());
        }
        at++;
        return list;
      }
      if (c == '"') {
        StringBuilder result = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
          at += text.charAt(at) == '\\' ? 1 : 0;
          result.append(text.charAt(at));
        }
        at++;
        return result.toString();
      }
      int from = at;
      while (",}] \n".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      String word = text.substring(from, at);
      return word.equals("true") ? Boolean.TRUE : word.equals("false") ? Boolean.FALSE : Integer.valueOf(word);
    }

    private void blanks() {
      while (" \n\r\t".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> model(String path) {
    try {
      return (Map<String, Object>) new Json(Files.readString(Path.of(path))).value();
    } catch (Exception error) {
      return null;
    }
  }

  private static void expect(boolean condition, String what) {
    if (!condition) {
      throw new IllegalStateException("not so: " + what);
    }
  }

  private static void use() {
    expect(Enums.EveryRowEnumRequired.of("south_east") == Enums.EveryRowEnumRequired.SOUTH_EAST, "members");
    expect(Enums.EveryRowEnumRequired.CLASS.text().equals("class"), "the stored text");
    try {
      Enums.Grade.of("Z");
      expect(false, "a text that is no member is refused");
    } catch (IllegalArgumentException error) {
      expect(error.getMessage().contains("Z"), "the message names it");
    }
    Garden garden = new Garden(List.of(), new BetaNote(2L), new AlphaNote("x"));
    Bed bed = new Bed("n", List.of(new Bed(null, null, null, null)), null, garden);
    expect(bed.equals(new Bed("n", List.of(new Bed(null, null, null, null)), null, garden)), "records are values");
    try {
      new AlphaNote(null);
      expect(false, "null in a required field is refused");
    } catch (NullPointerException error) {
      expect(error.getMessage().equals("text"), "the message names the field");
    }
    expect(Tables.Odd.TABLE_NAME.equals("an \"odd\" $table"), "the name of a table");
    expect(Tables.Odd.COLUMN_KEY.equals("the \"key\" \\$k"), "the name of a column");
  }

  private static void show(List<StartupCheck.Problem> problems) {
    problems.forEach(problem -> System.out.println(problem.code() + " " + problem.message()));
  }

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "use" -> use();
      case "check" -> show(StartupCheck.check(model(arguments[1])));
      case "require" -> {
        StartupCheck.require(StartupCheck.check(model(arguments[1])));
        System.out.println("started");
      }
      case "sql" -> StartupCheck.checkDatabase(arguments[1], sql -> {
        System.out.print(sql);
        System.out.flush();
        Runtime.getRuntime().halt(0);
        return List.of();
      });
      default -> show(StartupCheck.checkDatabase(arguments[1], sql -> {
        List<List<Object>> rows = new ArrayList<>();
        for (String line : Files.readString(Path.of(arguments[2])).split("\u001e")) {
          if (!line.isEmpty()) {
            rows.add(new ArrayList<>(Arrays.asList((Object[]) line.split("\u001f", -1))));
          }
        }
        return rows;
      }));
    }
  }
}
