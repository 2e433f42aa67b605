-- The words by which players look for a game.

-- A tag of several words is found by each of them. Texts of an array are joined the same way everywhere, which PostgreSQL cannot know.
create function game_words(name text, tagline text, tags text[]) returns tsvector
language sql immutable parallel safe
return crash_words(name || ' ' || tagline || ' ' || array_to_string(tags, ' '));

alter table games add column words tsvector generated always as (game_words(name, tagline, tags)) stored;
create index games_by_word on games using gin (words) where visibility = 'public';
create index games_by_tag on games using gin (tags) where visibility = 'public';
create index users_by_word on users using gin (crash_words(name));
