"""Compiles C# with Roslyn on the .NET runtime that pip installs: no SDK needed. Warnings are errors.
    roslyn.py FOLDER_WITH_ROSLYN OUT.dll SOURCE..."""
import os
import pathlib
import sys
import sysconfig

os.environ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"
runtime = pathlib.Path(sysconfig.get_paths()["purelib"]) / "dnv/net/runtime"

from clr_loader import get_coreclr  # noqa: E402
from pythonnet import load  # noqa: E402

load(get_coreclr(runtime_config=str(runtime / "runtimeconfig.json"), dotnet_root=str(runtime / ".net")))
import clr  # noqa: E402

for name in ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll"):
    clr.AddReference(str(pathlib.Path(sys.argv[1]).resolve() / name))
from Microsoft.CodeAnalysis import (DiagnosticSeverity, DocumentationMode, MetadataReference,  # noqa: E402
                                    NullableContextOptions, OutputKind, ReportDiagnostic, SyntaxTree)
from Microsoft.CodeAnalysis.CSharp import (CSharpCompilation, CSharpCompilationOptions, CSharpParseOptions,  # noqa: E402
                                           CSharpSyntaxTree, LanguageVersion)
from Microsoft.CodeAnalysis.Text import SourceText  # noqa: E402
from System.Collections.Generic import List  # noqa: E402
from System.IO import FileMode, FileStream  # noqa: E402
from System.Text import Encoding  # noqa: E402

out, sources = sys.argv[2], sys.argv[3:]
parse = CSharpParseOptions(LanguageVersion.Latest).WithDocumentationMode(DocumentationMode.Diagnose)
trees = List[SyntaxTree]()
for source in sources:
    text = SourceText.From(pathlib.Path(source).read_text(encoding="utf-8"), Encoding.UTF8)
    trees.Add(CSharpSyntaxTree.ParseText(text, parse, source))
references = List[MetadataReference]()
for library in sorted(next((runtime / ".net/shared/Microsoft.NETCore.App").iterdir()).glob("*.dll")):
    references.Add(MetadataReference.CreateFromFile(str(library)))
options = CSharpCompilationOptions(OutputKind.ConsoleApplication).WithNullableContextOptions(
    NullableContextOptions.Enable).WithGeneralDiagnosticOption(ReportDiagnostic.Error)
compilation = CSharpCompilation.Create("generated", trees, references, options)
problems = [d.ToString() for d in compilation.GetDiagnostics() if d.Severity != DiagnosticSeverity.Hidden
            and d.Id != "CS1591"]  # a comment on every public member is not asked for
# CS1591 is not asked for, so it must not stop the emitting either.
compilation = compilation.WithOptions(options.WithGeneralDiagnosticOption(ReportDiagnostic.Default))
if problems:
    print("\n".join(problems))
    sys.exit(1)
stream = FileStream(out, FileMode.Create)
done = compilation.Emit(stream)
stream.Close()
if not done.Success:
    print("\n".join(d.ToString() for d in done.Diagnostics))
    sys.exit(1)
(pathlib.Path(out).with_suffix(".runtimeconfig.json")).write_text((runtime / "runtimeconfig.json").read_text())
