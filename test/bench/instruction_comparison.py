"""Instruction counts against the committed ones: what of a difference is a failure, and how it is told."""

TOLERANCE_PERCENT = 5


def differing_environment(reference, now):
    """Why counts cannot be compared, or None: another compiler or library makes other instructions."""
    differences = [
        f"{name} {now.get(name)!r}, the reference's {value!r}" for name, value in reference.items() if now.get(name) != value
    ]
    return "; ".join(differences) or None


def compare(reference, now):
    """Rows by name, instructions an operation. Returns the lines of failures and those of remarks."""
    failures, remarks = [], []
    for name, count in now.items():
        if name not in reference:
            failures.append(f"{name}: {count:.1f} instructions, and no reference: --update writes one")
            continue
        before = reference[name]
        change = 100 * (count / before - 1)
        line = f"{name}: {count:.1f} instructions, reference {before:.1f} ({change:+.1f} %)"
        if change > TOLERANCE_PERCENT:
            failures.append(f"{line}: more than {TOLERANCE_PERCENT} % above")
        elif change < -TOLERANCE_PERCENT:
            remarks.append(f"{line}: better, update the reference with --update")
    failures += [f"{name}: has a reference and was not counted" for name in reference if name not in now]
    return failures, remarks
