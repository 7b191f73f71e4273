"""Completions of a shell for a program, from what it says with --help: completions.py SHELL PROGRAM OUTPUT"""
import re
import sys

from help_text import read_help

# Words that an option takes. Those are offered that --help says of the option: programs differ.
CHOICES = {
    "--format": ["text", "json", "csv", "html"],
    "--color": ["auto", "always", "never"],
    "--stat": ["trimmed", "mean", "median", "min", "max", "p50", "p90", "p95", "p99"],
    "--per": ["evaluation", "trace"],
    "--optimal": ["rule", "max", "latency="],
    "--layers": ["auto", "module", "op", "library", "nvtx:"],
    "--level": ["model", "layer", "library", "kernel"],
    "--otlp-level": ["model", "layer", "library", "runtime", "device"],
    "--library-calls": ["compute", "all"],
    "--cuda-api": ["launch", "copy", "sync", "all", "none"],
    "--activities": ["kernel", "memcpy", "memset", "overhead", "sync", "memory"],
    "--metrics": ["roofline", "roofline-fp16"],
    "--concurrency": ["measure", "apply"],
    "--on-full": ["drop", "block"],
    "--summary": ["auto", "none", "full"],
}
SHELLS = ("bash", "zsh", "fish")


class Completion:
    """What can stand behind one long option."""

    def __init__(self, text, name):
        self.name = name
        self.short = text.short_names().get(name, "")
        self.argument = text.argument(name)
        self.description = text.description(name)
        self.words = self._words(text)
        folders = re.search(r"\bDIR\b", self.argument)
        files = re.search(r"\b(FILE|PATH|SOCKET)\b", self.argument)
        self.kind = "" if self.words else "folders" if folders else "files" if files else ""

    def _words(self, text):
        if not self.argument:
            return []
        if self.name == "--analysis":
            return [*text.list_of("Tables"), "all"]
        if self.name == "--from":
            return ["auto", *text.list_of("Formats")]
        if self.name == "--export":
            return [line.split()[0] for line in text.option_of(self.name).text if line.startswith("\t")]
        said = re.findall(r"[\w:=-]+", self.description)
        return [word for word in CHOICES.get(self.name, []) if word in said or word.endswith(("=", ":"))
                and any(other.startswith(word) for other in said)]

    def sentence(self):
        """At most a line of a menu."""
        text = re.split(r"[.;] |[.:]$", self.description)[0].strip()
        return text if len(text) <= 72 else text[:71].rsplit(" ", 1)[0] + " ..."


def completions_of(text):
    return [Completion(text, name) for name in text.long_names()]


def takes_command(text):
    return "COMMAND" in text.usage


def bash(text):
    function = "_" + text.name.replace("-", "_")
    options = completions_of(text)
    flags = " ".join([o.name for o in options] + [o.short for o in options if o.short])
    lines = [f"# bash completion of {text.name}, made of its --help", f"{function}() {{",
             "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} files",
             "  # Readline breaks words at = : --format=json is three of them.",
             "  [[ $word == = ]] && word=",
             "  [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}", "  COMPREPLY=()"]
    if takes_command(text):
        takers = "|".join(n for o in options if o.argument for n in (o.name, o.short) if n)
        lines += ["  # Behind the command all is the command's.",
                  "  local i skip=",
                  "  for ((i = 1; i < COMP_CWORD; ++i)); do",
                  "    if [[ $skip ]]; then skip=; continue; fi",
                  "    case ${COMP_WORDS[i]} in",
                  "      --) ((i + 1 == COMP_CWORD)) && { mapfile -t COMPREPLY < <(compgen -c -- \"$word\"); return; }",
                  "        compopt -o default 2>/dev/null; return ;;",
                  f"      {takers}) skip=1 ;;",
                  "      -*|=) ;;",
                  "      *) [[ ${COMP_WORDS[i-1]} == = ]] || { compopt -o default 2>/dev/null; return; } ;;",
                  "    esac", "  done"]
    lines.append("  case $before in")
    for option in options:
        if not option.argument:
            continue
        pattern = "|".join(n for n in (option.name, option.short) if n)
        if option.words and option.name == "--analysis":
            reply = (f'local list=${{word%"${{word##*,}}"}}; mapfile -t COMPREPLY < <(compgen -P "$list" -W "'
                     + " ".join(option.words) + '" -- "${word##*,}"); return')
        elif option.words:
            reply = f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(option.words)}" -- "$word"); return'
        elif option.kind == "folders":
            reply = 'mapfile -t COMPREPLY < <(compgen -d -- "$word"); return'
        elif option.kind == "files":
            reply = "files=1"
        else:
            reply = "return"
        lines.append(f"    {pattern}) {reply} ;;")
    lines += ["  esac", '  if [[ ! $files && $word == -* ]]; then',
              f'    mapfile -t COMPREPLY < <(compgen -W "{flags}" -- "$word"); return', "  fi"]
    lines.append('  mapfile -t COMPREPLY < <(compgen -' + ("c" if takes_command(text) else "f") + ' -- "$word")'
                 if not takes_command(text) else
                 '  if [[ $files ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$word"); else '
                 'mapfile -t COMPREPLY < <(compgen -c -- "$word"); fi')
    lines += ["  compopt -o filenames 2>/dev/null", "}", f"complete -F {function} {text.name}"]
    return "\n".join(lines) + "\n"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(text):
    lines = [f"#compdef {text.name}", f"# zsh completion of {text.name}, made of its --help", "_arguments -s -S \\"]
    for option in completions_of(text):
        about = re.sub(r"([\[\]:\\])", r"\\\1", option.sentence())
        action = ""
        if option.argument:
            what = re.sub(r"\W+", " ", option.argument).strip()
            if option.words and option.name == "--analysis":
                action = f":{what}:_values -s , table {' '.join(option.words)}"
            elif option.words:
                words = " ".join(word.replace(":", "\\:") for word in option.words)
                action = f":{what}:({words})"
            else:
                action = f":{what}:" + {"files": "_files", "folders": "_files -/", "": " "}[option.kind]
        equals = "=" if option.argument else ""
        lines.append(f"  {quoted(f'*{option.name}{equals}[{about}]{action}')} \\")
        if option.short:
            lines.append(f"  {quoted(f'*{option.short}[{about}]{action}')} \\")
    lines.append("  '*::command:_normal'" if takes_command(text) else "  '*:file:_files'")
    return "\n".join(lines) + "\n"


def fish(text):
    lines = [f"# fish completion of {text.name}, made of its --help"]
    for option in completions_of(text):
        words = [f"complete -c {text.name}", f"-l {option.name[2:]}"]
        if option.short:
            words.append(f"-s {option.short[1:]}")
        if option.argument:
            words.append("-r")
            if option.words:
                words.append(f"-f -a {quoted(' '.join(option.words))}")
            elif option.kind == "folders":
                words.append("-f -a '(__fish_complete_directories)'")
            elif option.kind != "files":
                words.append("-f")
        about = option.sentence().replace("\\", "\\\\").replace("'", "\\'")
        words.append(f"-d '{about}'")
        lines.append(" ".join(words))
    if takes_command(text):
        lines.append(f"complete -c {text.name} -f -a '(__fish_complete_subcommand)'")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    shell, program, output = sys.argv[1:4]
    made = {"bash": bash, "zsh": zsh, "fish": fish}[shell](read_help(program))
    with open(output, "w", encoding="utf-8") as file:
        file.write(made)
