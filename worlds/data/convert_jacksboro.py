"""Writes jacksboro.tif from the elevation sample that the matplotlib wheel carries.

    python3 convert_jacksboro.py jacksboro_fault_dem.npz jacksboro.tif

The sample is a numpy archive: `elevation` (int16 metres, rows from north to south, posts of 3 arc-seconds) and the
edges of its pixels in degrees. `ymin` is the northern edge and `ymax` the southern one. The result is a GeoTIFF: one
band of int16, Deflate with predictor 2, EPSG:4326, pixel is area. Needs Python 3.9 and numpy.
"""

import hashlib
import struct
import sys
import zlib

import numpy

SOURCE_SHA256 = "d493f50a33e82a4420494c54d1fca1539d177bdc27ab190bc5fe6e92f62fb637"
ROWS_PER_STRIP = 43
SHORT, LONG, DOUBLE, ASCII = 3, 4, 12, 2
FORMATS = {SHORT: "H", LONG: "I", DOUBLE: "d"}


def strips(rows):
    """The rows as Deflate strips, each sample but a row's first as its difference from the one before it."""
    differences = rows.astype("<u2")
    differences[:, 1:] -= rows.astype("<u2")[:, :-1]
    for first in range(0, rows.shape[0], ROWS_PER_STRIP):
        yield zlib.compress(differences[first : first + ROWS_PER_STRIP].tobytes(), 9)


def geo_keys():
    """GeoTIFF keys: geographic model, pixel is area, WGS 84 (EPSG:4326), degrees."""
    keys = [(1024, 2), (1025, 1), (2048, 4326), (2054, 9102)]
    directory = [1, 1, 0, len(keys)]
    for key, value in keys:
        directory += [key, 0, 1, value]
    return directory


def entry_bytes(kind, value):
    """The number of values of a tag and their little-endian bytes."""
    if kind == ASCII:
        data = value.encode("ascii") + b"\0"
        return len(data), data
    return len(value), struct.pack("<%d%s" % (len(value), FORMATS[kind]), *value)


def tiff(rows, west, north, step_x, step_y):
    """The bytes of the GeoTIFF: header, strips, tags, then the values too long for a tag."""
    height, width = rows.shape
    body, offsets, counts = bytearray(b"II*\0" + bytes(4)), [], []
    for data in strips(rows):
        offsets.append(len(body))
        counts.append(len(data))
        body += data + bytes(len(data) % 2)
    metadata = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">m</Item></GDALMetadata>'
    tags = [
        (256, LONG, [width]),
        (257, LONG, [height]),
        (258, SHORT, [16]),
        (259, SHORT, [8]),
        (262, SHORT, [1]),
        (273, LONG, offsets),
        (277, SHORT, [1]),
        (278, LONG, [ROWS_PER_STRIP]),
        (279, LONG, counts),
        (284, SHORT, [1]),
        (317, SHORT, [2]),
        (339, SHORT, [2]),
        (33550, DOUBLE, [step_x, step_y, 0.0]),
        (33922, DOUBLE, [0.0, 0.0, 0.0, west, north, 0.0]),
        (34735, SHORT, geo_keys()),
        (42112, ASCII, metadata),
    ]
    directory_at = len(body)
    values_at = directory_at + 2 + 12 * len(tags) + 4
    directory, values = bytearray(struct.pack("<H", len(tags))), bytearray()
    for tag, kind, value in tags:
        count, data = entry_bytes(kind, value)
        if len(data) <= 4:
            field = data.ljust(4, b"\0")
        else:
            field = struct.pack("<I", values_at + len(values))
            values += data + bytes(len(data) % 2)
        directory += struct.pack("<HHI", tag, kind, count) + field
    body[4:8] = struct.pack("<I", directory_at)
    return bytes(body + directory + bytes(4) + values)


def main(source, result):
    with open(source, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    if digest != SOURCE_SHA256:
        sys.exit("sha256 of the source is %s, not %s: %s" % (digest, SOURCE_SHA256, source))
    sample = numpy.load(source)
    rows = sample["elevation"]
    west, north = float(sample["xmin"]), float(sample["ymin"])
    with open(result, "wb") as file:
        file.write(tiff(rows, west, north, float(sample["dx"]), float(sample["dy"])))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
