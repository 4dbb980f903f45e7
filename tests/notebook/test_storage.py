"""Files are whole or absent, the same bytes for the same numbers, and hold nothing that could run."""

import zipfile

import numpy as np
import pytest

from faceup.notebook import storage


def test_json_keeps_order_rounds_and_takes_numpy(tmp_path):
    path = tmp_path / "new" / "folder" / "a.json"
    mixed = [np.int64(3), True, None, "é", 0.1 + 0.2]  # the sum is not 0.3
    storage.write_json(path, {"b": np.float32(1) / 3, "a": mixed, "c": np.array([[-1e-9, 2.5]]), 1: (2,)})
    found = storage.load_json(path)
    assert found == {"b": 0.333333, "a": [3, True, None, "é", 0.3], "c": [[0.0, 2.5]], "1": [2]}
    assert list(found) == ["b", "a", "c", "1"]
    assert "-0.0" not in path.read_text() and path.read_text().endswith("}\n")


@pytest.mark.parametrize("bad", [float("nan"), np.float32("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_named_and_the_old_file_stays(tmp_path, bad):
    path = tmp_path / "a.json"
    storage.write_json(path, 1)
    with pytest.raises(ValueError, match=r"a\.json\.x\[1\] is .*, expected"):
        storage.write_json(path, {"x": [0, bad]})
    assert storage.load_json(path) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_csv_rounds_takes_numpy_and_keeps_the_old_file_where_a_row_is_wrong(tmp_path):
    path = tmp_path / "a.csv"
    rows = [("AA", np.float64(0.85203692), 3), ("a,b", None, np.int32(4)), ("sum", 0.1 + 0.2, 1)]
    storage.write_csv(path, ["hand", "equity", "n"], rows)
    for rows, said in (([(1, 2), (1,)], "row 1 has 1 cells, expected 2"), ([(1, np.nan)], "row 0, b is nan, expected a finite")):
        with pytest.raises(ValueError, match=rf"a\.csv: {said}"):
            storage.write_csv(path, ["a", "b"], rows)
    assert path.read_bytes() == b'hand,equity,n\nAA,0.852037,3\n"a,b",,4\nsum,0.3,1\n'
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_arrays_come_back_and_have_no_date(tmp_path):
    a, b = np.arange(6, dtype=np.uint16).reshape(2, 3), np.array(["x", "yz"])
    storage.save_npy(tmp_path / "a.npy", a)
    storage.save_npz(tmp_path / "ab.npz", a=a, b=b)
    back = storage.load_npz(tmp_path / "ab.npz")
    for loaded in (back["a"], storage.load_npy(tmp_path / "a.npy"), storage.load_npy(tmp_path / "a.npy", mmap=True)):
        assert loaded.dtype == a.dtype and np.array_equal(loaded, a)
    assert list(back) == ["a", "b"] and np.array_equal(back["b"], b)
    with zipfile.ZipFile(tmp_path / "ab.npz") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_objects_are_neither_written_nor_read(tmp_path):
    objects, place = np.array([{}, []], dtype=object), tmp_path / "a"
    for save, given in ((storage.save_npy, {"array": objects}), (storage.save_npz, {"objects": objects})):
        with pytest.raises(ValueError):
            save(place, **given)
    assert not list(tmp_path.iterdir())
    np.save(tmp_path / "evil.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "evil.npz", objects=objects)
    for load, name in ((storage.load_npy, "evil.npy"), (storage.load_npz, "evil.npz")):
        with pytest.raises(ValueError):
            load(tmp_path / name)


def test_replacing_keeps_the_ending_and_other_links_of_the_old_file(tmp_path):
    path, other = tmp_path / "model.json", tmp_path / "other"
    path.write_text("old")
    other.hardlink_to(path)
    with storage.replacing(path) as temporary:
        assert temporary.suffix == ".json" and temporary.parent == tmp_path
        temporary.write_text("new")
        assert path.read_text() == "old"
    with pytest.raises(KeyError), storage.replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert (path.read_text(), other.read_text()) == ("new", "old")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.json", "other"]


def test_a_file_that_cannot_be_written_is_named_not_its_temporary(tmp_path):
    path = tmp_path / f"{'a' * 240}.json"  # the temporary name is too long
    with pytest.raises(OSError) as caught:
        storage.write_json(path, 1)
    assert caught.value.filename == str(path) and caught.value.filename2 is None
