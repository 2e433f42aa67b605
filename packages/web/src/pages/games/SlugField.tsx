// The address of a game, which is checked while it is typed.
import { checkSlug } from '@chauffeur/contract/operations/games';
import { findSlugProblem } from '@chauffeur/contract/slug';
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';

const TYPING_DELAY_MS = 300;

type SlugFieldProps = {
  value: string;
  /** The slug that is used if the field is empty. */
  proposed?: string;
  /** The game that has the slug now, with its uid. */
  game?: { readonly game_uid: string; readonly slug: string };
  onChange: (slug: string) => void;
};

export function SlugField({ value, proposed = '', game, onChange }: SlugFieldProps) {
  const slug = value || proposed;
  const { problem, state } = useSlugCheck(slug, game);
  /** A number is added to a proposal that another game has. */
  const isNumbered = value === '' && state !== null && state !== 'free';
  const isChanged = game !== undefined && slug !== game.slug;
  return (
    <TextInput
      data-field="slug"
      label="Address"
      description={
        <>
          {`${location.host}/g/${slug || '…'}`}
          <span role="status">
            {state === 'free' && ' is free.'}
            {isNumbered && ' is taken. A number will be added.'}
          </span>
          {isChanged && problem === null && ` Links to /g/${game.slug} will lead to it.`}
        </>
      }
      error={isNumbered ? null : problem}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required={game !== undefined}
      placeholder={proposed}
      maxLength={64}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.toLowerCase())}
    />
  );
}

const PROBLEMS = {
  taken: 'Another game has this address. Choose another one.',
  reserved: 'This address led to a game of somebody else until recently, and is reserved for it. Choose another one.',
} as const;

type SlugCheck = { problem: string | null; state: 'free' | 'taken' | 'reserved' | null };

/**
 * What is wrong with a slug, and what the server says about it; null for the game's own slug, and until it is known.
 */
function useSlugCheck(slug: string, game: SlugFieldProps['game']): SlugCheck {
  const [settled] = useDebouncedValue(slug, TYPING_DELAY_MS);
  const isOwn = slug === game?.slug;
  const form = slug === '' || isOwn ? null : findSlugProblem(slug);
  const { data } = useQuery({
    ...ask(checkSlug, { slug: settled, ...(game !== undefined && { game: game.game_uid }) }),
    enabled: settled === slug && slug !== '' && !isOwn && form === null,
    // Another game may take the slug in the meantime.
    staleTime: 0,
  });
  // If the check itself fails, the slug may still be right. Saving checks it again.
  const state = data?.slug === slug && !isOwn ? data.state : null;
  if (form !== null) return { problem: form, state: null };
  return { problem: state === null || state === 'free' ? null : PROBLEMS[state], state };
}
