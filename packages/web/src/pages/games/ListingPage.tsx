// What a game says of itself, who sees it, and what keeps it from the shelves.
import { LIMITS } from '@chauffeur/contract/limits';
import { Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { ListingCheck } from './ListingCheck.tsx';
import { type OpenGame, useGame } from './use-game.ts';
import { useListing } from './use-listing.ts';

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

function ListingForm({ game }: { game: OpenGame }) {
  const { fields, change, problem, saving } = useListing(game);
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
        <VisibilityChoice
          kept={game.visibility}
          chosen={fields.visibility}
          onChoose={(value) => change('visibility')({ currentTarget: { value } })}
        />
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

type VisibilityChoiceProps = { kept: Visibility; chosen: Visibility; onChoose: (value: string) => void };

function VisibilityChoice({ kept, chosen, onChoose }: VisibilityChoiceProps) {
  return (
    <>
      <Radio.Group label="Visibility" value={chosen} onChange={onChoose}>
        <Stack gap="xs" mt={4}>
          {Object.entries(VISIBILITIES).map(([value, { word, says }]) => (
            <Radio key={value} value={value} label={word} description={says} />
          ))}
        </Stack>
      </Radio.Group>
      {kept !== chosen && <VisibilityChange from={kept} to={chosen} />}
    </>
  );
}

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
