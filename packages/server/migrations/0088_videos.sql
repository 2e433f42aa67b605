-- The addresses of a game's videos on YouTube and Vimeo, in the order of its page.
alter table game_facts add column videos text[] not null default '{}';
