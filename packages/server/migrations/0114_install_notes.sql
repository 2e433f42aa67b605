-- How players install and start a game, where the developers wrote it themselves: [{ os, text }].
alter table game_facts add column install_notes jsonb not null default '[]';
