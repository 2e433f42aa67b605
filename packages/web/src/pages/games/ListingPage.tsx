// The listing of a game: its texts and visibility, and what is missing before the store lists it.
import { LIMITS } from '@chauffeur/contract/limits';
import { Anchor, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { UnsavedWarning } from '../../ui/UnsavedWarning.tsx';
import { FactFields } from './FactFields.tsx';
import { ListingCheck } from './ListingCheck.tsx';
import classes from './ListingPage.module.css';
import { ListingPreview } from './ListingPreview.tsx';
import { type OpenGame, useGame } from './use-game.ts';
import { useListing } from './use-listing.ts';

export function ListingPage() {
  const game = useGame();
  return (
    <Stack gap="md">
      <PageHead title="Listing" tabTitle={`Listing · ${game.name}`} />
      <ListingCheck gameUid={game.game_uid} slug={game.slug} />
      <ListingForm key={game.game_uid} game={game} />
    </Stack>
  );
}

function ListingForm({ game }: { game: OpenGame }) {
  const { fields, change, set, problem, saving, isChanged } = useListing(game);
  const isSlugChanged = fields.slug !== game.slug;
  return (
    <div className={classes.editor} data-wide>
      <form
        aria-label="Listing"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            maxLength={LIMITS.titleLength}
            value={fields.name}
            onChange={change('name')}
          />
          <TextInput
            label="Address"
            description={
              isSlugChanged
                ? `${location.host}/g/${fields.slug}. Links to the old address, /g/${game.slug}, will stop working.`
                : `${location.host}/g/${fields.slug}`
            }
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            pattern="[a-z0-9][a-z0-9\-]{1,62}[a-z0-9]"
            title="3 to 64 lowercase letters, digits and hyphens"
            value={fields.slug}
            onChange={change('slug')}
          />
          <VisibilityChoice
            saved={game.visibility}
            selected={fields.visibility}
            onSelect={(value) => change('visibility')({ currentTarget: { value } })}
          />
          <TextInput
            label="Tagline"
            description={`One line about the game: ${[...fields.tagline].length} of ${LIMITS.taglineLength} characters`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={LIMITS.taglineLength}
            value={fields.tagline}
            onChange={change('tagline')}
          />
          <Textarea
            label="Description"
            description={
              <>
                <Anchor href="/docs/shelves#format-the-description">Markdown</Anchor>, without images. Line breaks are
                kept.
              </>
            }
            autosize
            minRows={10}
            maxRows={30}
            maxLength={LIMITS.descriptionLength}
            value={fields.description}
            onChange={change('description')}
          />
          <TextInput
            label="Tags"
            description={`Up to ${LIMITS.gameTags}, separated by commas`}
            error={problem}
            value={fields.tags}
            onChange={change('tags')}
          />
          <FactFields facts={fields} onChange={set} />
          {saving.error !== null && <Problem error={saving.error} />}
          <Group gap="md">
            <Button type="submit" loading={saving.isPending} disabled={problem !== null}>
              {fields.visibility === game.visibility ? 'Save' : SAVE_LABELS[fields.visibility]}
            </Button>
            <Text size="sm" role="status">
              {saving.isSuccess && !isChanged ? 'Saved.' : ''}
              {isChanged && !saving.isPending ? 'Not saved yet.' : ''}
            </Text>
          </Group>
        </Stack>
        <UnsavedWarning isActive={isChanged} title="Leave without saving?" leaveLabel="Leave without saving">
          Your changes to the listing are lost.
        </UnsavedWarning>
      </form>
      <ListingPreview fields={fields} />
    </div>
  );
}

type Visibility = OpenGame['visibility'];

/** What changes for players when the visibility is saved. */
const CHANGES: Readonly<Record<Visibility, { readonly title: string; readonly description: string }>> = {
  public: {
    title: 'The game will be public',
    description: 'Anyone can find it by search. The store lists it once it passes the check above.',
  },
  invisible: {
    title: 'The game will be invisible',
    description: 'It is removed from the store and from search. Anyone with the link can still see and download it.',
  },
  draft: {
    title: 'The game will be a draft',
    description: 'Players can no longer see or download it, even with the link.',
  },
};

/** The button that saves says so if players are affected. */
const SAVE_LABELS: Readonly<Record<Visibility, string>> = {
  public: 'Save and make public',
  invisible: 'Save and make invisible',
  draft: 'Save and make a draft',
};

type VisibilityChoiceProps = { saved: Visibility; selected: Visibility; onSelect: (value: string) => void };

function VisibilityChoice({ saved, selected, onSelect }: VisibilityChoiceProps) {
  return (
    <>
      <Radio.Group label="Visibility" value={selected} onChange={onSelect}>
        <Stack gap="xs" mt={4}>
          {Object.entries(VISIBILITIES).map(([value, { label, description }]) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {saved !== selected && <VisibilityChange visibility={selected} />}
    </>
  );
}

function VisibilityChange({ visibility }: { visibility: Visibility }) {
  const { title, description } = CHANGES[visibility];
  return (
    <Notice tone={visibility === 'public' ? 'busy' : 'unsure'} title={title}>
      {description}
    </Notice>
  );
}
