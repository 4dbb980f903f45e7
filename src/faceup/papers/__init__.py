"""The four smaller papers, one package and one notebook each."""
