"""Files are whole or absent, the same bytes for the same numbers, and hold nothing that could run."""

import json
import zipfile

import numpy as np
import pytest

from faceup.notebook import storage


def test_json_keeps_order_rounds_and_takes_numpy(tmp_path):
    path = tmp_path / "new" / "folder" / "a.json"
    table = np.array([[-1e-9, 2.5]])
    mixed = [np.int64(3), True, None, "é"]
    storage.write_json(path, {"b": np.float32(1) / 3, "a": mixed, "c": table, 1: (2,)})
    assert storage.load_json(path) == {"b": 0.333333, "a": [3, True, None, "é"], "c": [[0.0, 2.5]], "1": [2]}
    assert list(storage.load_json(path)) == ["b", "a", "c", "1"]
    assert "-0.0" not in path.read_text() and path.read_text().endswith("}\n")


def test_bits_beyond_six_digits_do_not_reach_a_file(tmp_path):
    total = 0.1 + 0.2
    assert total != 0.3
    storage.write_json(tmp_path / "a.json", {"x": total})
    storage.write_csv(tmp_path / "a.csv", ["x"], [[total]])
    assert json.loads((tmp_path / "a.json").read_text()) == {"x": 0.3}
    assert (tmp_path / "a.csv").read_text() == "x\n0.3\n"


@pytest.mark.parametrize("bad", [float("nan"), np.float32("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_named_and_the_old_file_stays(tmp_path, bad):
    path = tmp_path / "a.json"
    storage.write_json(path, 1)
    with pytest.raises(ValueError, match=r"a\.json\.x\[1\] is .*, expected"):
        storage.write_json(path, {"x": [0, bad]})
    assert storage.load_json(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_csv(tmp_path):
    path = tmp_path / "a.csv"
    rows = [("AA", np.float64(0.85203692), 3), ("a,b", None, np.int32(4))]
    storage.write_csv(path, ["hand", "equity", "n"], rows)
    assert path.read_bytes() == b'hand,equity,n\nAA,0.852037,3\n"a,b",,4\n'
    with pytest.raises(ValueError, match=r"a\.csv: row 1 has 1 cells, expected 2"):
        storage.write_csv(path, ["a", "b"], [(1, 2), (1,)])
    with pytest.raises(ValueError, match=r"a\.csv: row 0, b is nan, expected a finite number"):
        storage.write_csv(path, ["a", "b"], [(1, float("nan"))])
    assert path.read_bytes().startswith(b"hand")
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_arrays_come_back_and_have_no_date(tmp_path):
    a, b = np.arange(6, dtype=np.uint16).reshape(2, 3), np.array(["x", "yz"])
    storage.save_npy(tmp_path / "a.npy", a)
    storage.save_npz(tmp_path / "ab.npz", a=a, b=b)
    for loaded in (storage.load_npy(tmp_path / "a.npy"), storage.load_npy(tmp_path / "a.npy", mmap=True)):
        assert loaded.dtype == a.dtype and np.array_equal(loaded, a)
    back = storage.load_npz(tmp_path / "ab.npz")
    assert list(back) == ["a", "b"] and np.array_equal(back["a"], a) and np.array_equal(back["b"], b)
    with zipfile.ZipFile(tmp_path / "ab.npz") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_objects_are_neither_written_nor_read(tmp_path):
    objects = np.array([{}, []], dtype=object)
    with pytest.raises(ValueError):
        storage.save_npy(tmp_path / "a.npy", objects)
    with pytest.raises(ValueError):
        storage.save_npz(tmp_path / "a.npz", objects=objects)
    assert not list(tmp_path.iterdir())
    np.save(tmp_path / "evil.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "evil.npz", objects=objects)
    with pytest.raises(ValueError):
        storage.load_npy(tmp_path / "evil.npy")
    with pytest.raises(ValueError):
        storage.load_npz(tmp_path / "evil.npz")


def test_replacing_keeps_the_ending_and_other_links_of_the_old_file(tmp_path):
    path, other = tmp_path / "model.json", tmp_path / "other"
    path.write_text("old")
    other.hardlink_to(path)
    with storage.replacing(path) as temporary:
        assert temporary.suffix == ".json" and temporary.parent == tmp_path
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert (path.read_text(), other.read_text()) == ("new", "old")
    with pytest.raises(KeyError), storage.replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.json", "other"] and path.read_text() == "new"


def test_a_file_that_cannot_be_written_is_named_not_its_temporary(tmp_path):
    path = tmp_path / f"{'a' * 240}.json"  # the temporary name is too long
    with pytest.raises(OSError) as caught:
        storage.write_json(path, 1)
    assert caught.value.filename == str(path) and caught.value.filename2 is None
