"""kedge in one long process (kedge_session): commands and statements without the price of a start each."""
import json
import subprocess


class Session:
    def __init__(self, program, env):
        self.program, self.env, self.process = program, env, None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env, text=True)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self.process.wait()
            self.process = None
            raise AssertionError(f"kedge ended with {code} at {json.dumps(request)[:400]}")
        return json.loads(line)

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
