"""The bundle that is under test: unpacked, and where its programs are."""
import tarfile
from pathlib import Path


class BundleError(Exception):
    pass


def unpack(given, into):
    """The bundle's folder. `given` is an archive, or a folder that is unpacked already."""
    given = Path(given).resolve()
    if given.is_dir():
        folder = given
    else:
        try:
            with tarfile.open(given) as archive:
                names = archive.getnames()
                if any(name.startswith("/") or ".." in name.split("/") for name in names):
                    raise BundleError(f"{given} has a path that leads out of it")
                archive.extractall(into)
        except (OSError, tarfile.TarError) as error:
            raise BundleError(f"cannot unpack {given} ({error})") from error
        roots = sorted({name.split("/")[0] for name in names})
        if len(roots) != 1:
            raise BundleError(f"{given} unpacks into {len(roots)} folders, not one")
        folder = Path(into) / roots[0]
    for name in ("xsp-run", "xsp-report"):
        if not (folder / "bin" / name).exists():
            raise BundleError(f"{given} has no bin/{name}")
    return folder


def newest(source):
    """The newest archive in dist/, or None."""
    found = sorted(Path(source).glob("dist/xsp-*.tar.gz"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None
