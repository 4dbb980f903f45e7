"""The repository's root is found from every folder in it, and no other folder is taken for it."""

import pytest

from faceup.notebook import paths


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository in a folder that has a params.yaml of its own, as another project would."""
    monkeypatch.delenv("FACEUP_ROOT", raising=False)
    root = tmp_path / "faceup"
    (root / "notebooks" / "studies").mkdir(parents=True)
    (root / "src").mkdir()
    for name in ("params.yaml", "dvc.yaml", "notebooks/studies/params.yaml", "notebooks/studies/dvc.yaml", "../params.yaml"):
        (root / name).touch()
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "lib/site-packages/faceup/notebook/paths.py"))
    return root


@pytest.mark.parametrize("below", [".", "notebooks", "notebooks/studies", "src"])
def test_from_every_folder_of_the_repository(checkout, below, monkeypatch):
    monkeypatch.chdir(checkout / below)
    assert paths.find_root() == checkout


def test_no_other_folder_with_parameters_is_taken(checkout, monkeypatch):
    monkeypatch.chdir(checkout.parent)
    with pytest.raises(FileNotFoundError, match="holds params.yaml alone; expected params.yaml, dvc.yaml, notebooks at or above"):
        paths.find_root()
    monkeypatch.setattr(paths, "__file__", str(checkout / "src" / "faceup" / "notebook" / "paths.py"))
    assert paths.find_root() == checkout  # the checkout that the code belongs to


def test_a_named_root_counts_first_and_must_be_one(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("FACEUP_ROOT", str(checkout.parent))
    assert paths.find_root() == checkout.parent
    monkeypatch.setenv("FACEUP_ROOT", str(checkout / "src"))
    with pytest.raises(FileNotFoundError, match="FACEUP_ROOT is .*src, expected a folder that holds params.yaml"):
        paths.find_root()
