"""What --help of a program says, by its parts: the source of man pages and completions.

The texts have one shape: "NAME: what it does"; examples, indented; "usage: ..."; sentences about the arguments, indented;
options, under heads that end in a colon; lists and sentences about exit codes.
"""
import re
import subprocess

OPTION = re.compile(r"^(?: {2}-\w, | {6}| {2})(?=-)")
NAME = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")


class Option:
    """One line of options: mostly one option with its short name, sometimes several that belong together."""

    def __init__(self, head, text):
        self.head = head  # "-a, --analysis LIST"
        self.text = text  # lines; those of a list in it begin with a tab


class Help:
    def __init__(self, text):
        self.text = text
        lines = text.rstrip("\n").split("\n")
        self.name, self.about = lines[0].split(": ", 1)
        usage = next(i for i, line in enumerate(lines) if line.startswith("usage: "))
        self.examples = [line for line in lines[1:usage] if line.strip()]
        self.usage = lines[usage][len("usage: "):]
        self.about_arguments = []
        self.groups = [("", [])]  # head, options
        self.closing = []  # paragraphs: lists of lines
        self._read(lines[usage + 1:])

    def _read(self, lines):
        last = max(i for i, line in enumerate(lines) if OPTION.match(line))
        while last + 1 < len(lines) and lines[last + 1].startswith(" " * 8):
            last += 1
        column = 0  # where the text of the last option begins; what is behind it is a list
        for line in lines[:last + 1]:
            options = self.groups[-1][1]
            if OPTION.match(line):
                head, gap, text = re.match(r" *(.*?)(?:( {2,})(\S.*))?$", line).groups()
                options.append(Option(head, [text] if text else []))
                column = line.index(gap + text) + len(gap) if text else 0
            elif line.endswith(":") and not line.startswith(" "):
                self.groups.append((line[:-1], []))
            elif line.strip() and options:
                begin = len(line) - len(line.lstrip())
                column = column or begin
                options[-1].text.append(("\t" if begin > column else "") + line.strip())
            elif line.strip():
                self.about_arguments.append(line.strip())
        self.groups = [group for group in self.groups if group[1]]
        paragraph = []
        for line in lines[last + 1:] + [""]:
            if line.strip():
                paragraph.append(line)
            elif paragraph:
                self.closing.append(paragraph)
                paragraph = []

    @property
    def options(self):
        return [option for _, options in self.groups for option in options]

    def long_names(self):
        """Every long option, also those that are told in the text of another."""
        names = {}
        for option in self.options:
            for line in [option.head, *option.text]:
                for name in NAME.findall(line):
                    names.setdefault(name, None)
        return list(names)

    def short_names(self):
        """Short names by the long one beside them."""
        pairs = {}
        for option in self.options:
            for short, name in re.findall(r"(-\w), (--[a-z-]+)", option.head):
                pairs[name] = short
        return pairs

    def argument(self, name):
        """What a long option takes: "FILE", "FMT[=FILE]"; empty: nothing."""
        taken = re.compile(re.escape(name) + r" ((?:[A-Z][A-Za-z|]*(?:\[=[A-Z]+\])?\.*)(?: [A-Z]+\b)*)")
        for option in self.options:
            for line in [option.head, *option.text]:
                found = taken.search(line)
                if found:
                    return found.group(1)
        return ""

    def option_of(self, name):
        """The entry that a long option is told in, by its head if it has one of its own."""
        for option in self.options:
            if name in NAME.findall(option.head):
                return option
        return next(option for option in self.options if any(name in NAME.findall(line) for line in option.text))

    def description(self, name):
        option = self.option_of(name)
        return " ".join(line.strip() for line in option.text)

    def list_of(self, head):
        """Words of a list below a head such as "Tables:", in front of what they are."""
        for paragraph in self.closing:
            if paragraph[0] == head + ":":
                return [line.split()[0] for line in paragraph[1:]]
        return []


def read_help(program):
    done = subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True)
    return Help(done.stdout.decode())
