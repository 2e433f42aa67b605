// The form state of a game's listing, and saving it.
import { getGame, listGames, updateGame } from '@chauffeur/contract/operations/games';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { readTags } from './tags.ts';
import type { OpenGame } from './use-game.ts';

type Texts = Pick<OpenGame, 'name' | 'slug' | 'visibility' | 'tagline' | 'description'> & { tags: string };
export type Facts = Pick<OpenGame, 'links' | 'languages' | 'requirements' | 'content_notes'>;
type Fields = Texts & Facts;

function fieldsOf(game: Omit<Fields, 'tags'> & { tags: string[] }): Fields {
  const { name, slug, visibility, tagline, description, tags, links, languages, requirements, content_notes } = game;
  const texts = { name, slug, visibility, tagline, description, tags: tags.join(', ') };
  return { ...texts, links, languages, requirements, content_notes };
}

/** Lists are compared by their content. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function changesOf(saved: Fields, fields: Fields): Partial<Fields> {
  const names = Object.keys(fields) as (keyof Fields)[];
  return Object.fromEntries(
    names.filter((name) => !isSame(fields[name], saved[name])).map((name) => [name, fields[name]]),
  );
}

export function useListing(game: OpenGame) {
  const [fields, setFields] = useState(() => fieldsOf(game));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { tags, problem } = readTags(fields.tags);
  const changed = changesOf(fieldsOf(game), fields);
  const saving = useMutation({
    // Only what was changed here: someone else may have changed the rest, such as the visibility, in the meantime.
    mutationFn: () => {
      const { tags: changedTags, ...others } = changed;
      return call(updateGame, { uid: game.game_uid, ...others, ...(changedTags !== undefined && { tags }) });
    },
    onSuccess: async (saved) => {
      setFields(fieldsOf(saved));
      queries.setQueryData(ask(getGame, { uid: saved.slug }).queryKey, { ...game, ...saved });
      void queries.invalidateQueries({ queryKey: [getListing.id] });
      void queries.invalidateQueries({ queryKey: [listGames.id] });
      if (saved.slug !== game.slug)
        await navigate({
          to: '/dev/$slug/edit/listing',
          params: { slug: saved.slug },
          replace: true,
          ignoreBlocker: true,
        });
    },
  });
  const set = (changes: Partial<Fields>) => {
    saving.reset();
    setFields((before) => ({ ...before, ...changes }));
  };
  const change = (name: keyof Texts) => (event: { currentTarget: { value: string } }) =>
    set({ [name]: event.currentTarget.value });
  const isChanged = Object.keys(changed).length > 0;
  /** `problem` says why the tags are invalid, or is null. */
  return { fields, change, set, problem, saving, isChanged };
}
