// What a game says of itself, who sees it, and what keeps it from the shelves.
import { LIMITS } from '@chauffeur/contract/limits';
import { getGame, listGames, updateGame } from '@chauffeur/contract/operations/games';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { ListingCheck } from './ListingCheck.tsx';
import { readTags } from './tags.ts';
import { type OpenGame, useGame } from './use-game.ts';

export function ListingPage() {
  const game = useGame();
  return (
    <Stack gap="md">
      <PageHead title="Listing" tab={`Listing · ${game.name}`} />
      <ListingCheck gameUid={game.game_uid} slug={game.slug} />
      <ListingForm key={game.game_uid} game={game} />
    </Stack>
  );
}

type Fields = Pick<OpenGame, 'name' | 'slug' | 'visibility' | 'tagline' | 'description'> & { tags: string };

function fieldsOf({
  name,
  slug,
  visibility,
  tagline,
  description,
  tags,
}: Omit<Fields, 'tags'> & { tags: string[] }): Fields {
  return { name, slug, visibility, tagline, description, tags: tags.join(', ') };
}

function ListingForm({ game }: { game: OpenGame }) {
  const [fields, setFields] = useState(() => fieldsOf(game));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { tags, problem } = readTags(fields.tags);
  const saving = useMutation({
    mutationFn: () => call(updateGame, { uid: game.game_uid, ...fields, tags }),
    onSuccess: async (saved) => {
      setFields(fieldsOf(saved));
      queries.setQueryData(ask(getGame, { uid: saved.slug }).queryKey, { ...game, ...saved });
      void queries.invalidateQueries({ queryKey: [getListing.id] });
      void queries.invalidateQueries({ queryKey: [listGames.id] });
      if (saved.slug !== game.slug)
        await navigate({ to: '/dev/$slug/edit/listing', params: { slug: saved.slug }, replace: true });
    },
  });
  const change = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    saving.reset();
    setFields((before) => ({ ...before, [name]: value }));
  };
  const visibility = (value: string) => change('visibility')({ currentTarget: { value } });
  const slugChanges = fields.slug !== game.slug;
  return (
    <form
      aria-label="Listing"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md">
        <TextInput label="Name" required maxLength={LIMITS.titleLength} value={fields.name} onChange={change('name')} />
        <TextInput
          label="Address"
          description={
            slugChanges
              ? `${location.host}/g/${fields.slug}. Links to ${game.slug} stop working.`
              : `${location.host}/g/${fields.slug}`
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          pattern="[a-z0-9][a-z0-9\-]{1,62}[a-z0-9]"
          title="3 to 64 lowercase letters, digits and -"
          value={fields.slug}
          onChange={change('slug')}
        />
        <Radio.Group label="Visibility" value={fields.visibility} onChange={visibility}>
          <Stack gap="xs" mt={4}>
            {Object.entries(VISIBILITIES).map(([value, { word, says }]) => (
              <Radio key={value} value={value} label={word} description={says} />
            ))}
          </Stack>
        </Radio.Group>
        {game.visibility !== fields.visibility && <VisibilityChange from={game.visibility} to={fields.visibility} />}
        <TextInput
          label="Tagline"
          description={`One line: what the game is. ${[...fields.tagline].length} of ${LIMITS.taglineLength}`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={LIMITS.taglineLength}
          value={fields.tagline}
          onChange={change('tagline')}
        />
        <Textarea
          label="Description"
          description="Plain text. Line breaks stay."
          autosize
          minRows={6}
          maxRows={20}
          maxLength={LIMITS.descriptionLength}
          value={fields.description}
          onChange={change('description')}
        />
        <TextInput
          label="Tags"
          description={`Up to ${LIMITS.gameTags}, parted by commas`}
          error={problem}
          value={fields.tags}
          onChange={change('tags')}
        />
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="md">
          <Button type="submit" loading={saving.isPending} disabled={problem !== null}>
            Save
          </Button>
          <Text size="sm" role="status">
            {saving.isSuccess ? 'Saved.' : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

type Visibility = OpenGame['visibility'];

/** What players lose or gain when the change is saved. */
const CHANGES: Readonly<Record<Visibility, string>> = {
  public: 'Anyone finds it by search; on shelves it stands once it passes the check above.',
  invisible: 'It leaves shelves and search. Who has the link still sees and downloads it.',
  draft: 'Its page and downloads are closed to players, also to those who have the link.',
};

function VisibilityChange({ from, to }: { from: Visibility; to: Visibility }) {
  return (
    <Notice
      tone={to === 'public' ? 'busy' : 'unsure'}
      title={`From ${VISIBILITIES[from].word.toLowerCase()} to ${VISIBILITIES[to].word.toLowerCase()}, once you save`}
    >
      {CHANGES[to]}
    </Notice>
  );
}
