"""What every part uses: named random streams, statistics, files, parallel maps, stored results."""
