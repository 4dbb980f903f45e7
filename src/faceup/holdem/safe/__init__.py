"""Strategies that lose least to whoever knows them: CFR-BR on streets of hold'em."""
