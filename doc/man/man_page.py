"""The man page of a program, from what it says with --help: man_page.py VERSION PROGRAM OUTPUT"""
import re
import sys

from help_text import read_help


def roff(text):
    """Text that roff takes as it is: no requests, and the hyphens of options stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text)


def bold_names(text):
    return re.sub(r"(?<![\w\\-])(\\-\\-[a-z](?:[a-z]|\\-)*|\\-[a-zA-Z](?![a-zA-Z]))", r"\\fB\1\\fR", roff(text))


def example_lines(lines):
    for line in lines:
        yield roff(line[2:] if line.startswith("  ") else line)


def is_verbatim(paragraph):
    return paragraph[0].endswith(":") and len(paragraph) > 1


def page(text, version):
    lines = [f'.TH {text.name.upper().replace("-", chr(92) + "-")} 1 "" "XSP {version}" "XSP"',
             ".SH NAME", f"{roff(text.name)} \\- {roff(text.about)}",
             ".SH SYNOPSIS", f"\\fB{roff(text.name)}\\fR {roff(text.usage[len(text.name):].strip())}",
             ".SH EXAMPLES", ".nf", *example_lines(text.examples), ".fi"]
    if text.about_arguments:
        lines += [".SH DESCRIPTION", *(bold_names(line) for line in text.about_arguments)]
    lines.append(".SH OPTIONS")
    for head, options in text.groups:
        if head:
            lines.append(f".SS {roff(head[0].upper() + head[1:])}")
        for option in options:
            lines += [".TP", bold_names(option.head)]
            flows = [line for line in option.text if not line.startswith("\t")]
            lists = [line.strip() for line in option.text if line.startswith("\t")]
            lines += [bold_names(line) for line in flows] or ["\\&"]
            if lists:
                lines += [".nf", *(roff(line) for line in lists), ".fi"]
    for paragraph in text.closing:
        if is_verbatim(paragraph):
            lines += [f".SH {roff(paragraph[0][:-1].upper())}", ".nf", *example_lines(paragraph[1:]), ".fi"]
            continue
        is_codes = re.search(r"Exit codes|\b125: ", " ".join(paragraph))
        lines += [".SH EXIT STATUS" if is_codes else ".SH NOTES", *(bold_names(line) for line in paragraph)]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(name)}\\fR(1)" for name in
                                        ("xsp-run", "xsp-bench", "xsp-report", "xsp-import", "xsp-collector")
                                        if name != text.name)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    version, program, output = sys.argv[1:4]
    with open(output, "w", encoding="utf-8") as file:
        file.write(page(read_help(program), version))
