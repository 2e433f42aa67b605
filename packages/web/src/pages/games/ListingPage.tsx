// The listing of a game: its texts and visibility, and what is missing before the store lists it.
import '../../markdown.css';
import { LIMITS } from '@chauffeur/contract/limits';
import { discardDraft, getDraft } from '@chauffeur/contract/operations/games';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { renderMarkdown } from '@chauffeur/contract/operations/store';
import { Anchor, Button, Group, List, Radio, Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import { VISIBILITIES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import { FactFields } from './ListingFields.tsx';
import classes from './ListingPage.module.css';
import { writeWidgetCode } from './listing-texts.ts';
import { SlugField } from './SlugField.tsx';
import { type OpenGame, useGame } from './use-game.ts';
import { type Draft, useListing } from './use-listing.ts';

export function ListingPage() {
  const game = useGame();
  const { data, error, refetch } = useQuery(ask(getDraft, { uid: game.game_uid }));
  /** Changes when the draft was discarded, so that the form begins again. */
  const [formNo, setFormNo] = useState(0);
  return (
    <Stack gap="md">
      <PageHead title="Listing" tabTitle={`Listing · ${game.name}`} />
      <ListingCheck gameUid={game.game_uid} slug={game.slug} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={480} />}
      {data !== undefined && (
        <>
          {data.draft !== null && (
            <DraftNotice game={game} draft={data.draft} onDiscarded={() => setFormNo((no) => no + 1)} />
          )}
          <ListingForm key={`${game.game_uid} ${formNo}`} game={game} draft={data.draft} />
          <WidgetCode game={game} />
        </>
      )}
    </Stack>
  );
}

function ListingForm({ game, draft }: { game: OpenGame; draft: Draft }) {
  const listing = useListing(game, draft);
  const { fields, change, set, problem, saving, savingDraft, isChanged, changedNames, replacedNames } = listing;
  const isPublic = game.visibility !== 'draft';
  return (
    <div className={classes.editor} data-wide>
      <form
        aria-label="Listing"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(fields);
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="name"
            label="Name"
            required
            maxLength={LIMITS.titleLength}
            value={fields.name}
            onChange={change('name')}
          />
          <SlugField value={fields.slug} game={game} onChange={(slug) => set({ slug })} />
          <VisibilityChoice
            saved={game.visibility}
            selected={fields.visibility}
            onSelect={(value) => change('visibility')({ currentTarget: { value } })}
          />
          <TextInput
            data-field="tagline"
            label="Tagline"
            description={`One line about the game: ${[...fields.tagline].length} of ${LIMITS.taglineLength} characters`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={LIMITS.taglineLength}
            value={fields.tagline}
            onChange={change('tagline')}
          />
          <Textarea
            data-field="description"
            label="Description"
            description={
              <>
                <Anchor href="/docs/store-page#format-the-description" fz="inherit">
                  Markdown
                </Anchor>
                , without images. Line breaks are kept.
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
            data-field="tags"
            label="Tags"
            description={`Up to ${LIMITS.gameTags}, separated by commas`}
            error={problem}
            value={fields.tags}
            onChange={change('tags')}
          />
          <FactFields facts={fields} onChange={set} />
          {saving.error !== null && <Problem error={saving.error} />}
          {savingDraft.error !== null && <Problem error={savingDraft.error} />}
          <div role="status">
            {replacedNames.length > 0 && (
              <Notice tone="unsure" title="Someone else has changed this listing in the meantime.">
                Saving replaces their {formatList(replacedNames)}.
              </Notice>
            )}
          </div>
          {isPublic && changedNames.length > 0 && (
            <Text size="sm" c="dimmed">
              Players will see the new {formatList(changedNames)}.
            </Text>
          )}
          <Group gap="md">
            <Button type="submit" loading={saving.isPending} disabled={problem !== null}>
              {fields.visibility === game.visibility ? saveLabel(isPublic, draft) : SAVE_LABELS[fields.visibility]}
            </Button>
            {isPublic && (
              <Button
                variant="default"
                loading={savingDraft.isPending}
                disabled={problem !== null || !isChanged}
                onClick={({ currentTarget }) => {
                  if (currentTarget.form?.reportValidity() === true) savingDraft.mutate(fields);
                }}
              >
                Save as draft
              </Button>
            )}
            <Text size="sm" role="status">
              {saving.isSuccess && !isChanged ? 'Saved.' : ''}
              {savingDraft.isSuccess && !isChanged ? 'Draft saved.' : ''}
              {isChanged && !saving.isPending ? 'Not saved yet.' : ''}
            </Text>
          </Group>
        </Stack>
        <UnsavedChanges isChanged={isChanged} name="listing" />
      </form>
      <ListingPreview fields={fields} />
    </div>
  );
}

/** The label of the save button if the visibility stays as it is. */
function saveLabel(isPublic: boolean, draft: Draft): string {
  return isPublic && draft !== null ? 'Publish' : 'Save';
}

type DraftNoticeProps = { game: OpenGame; draft: NonNullable<Draft>; onDiscarded: () => void };

function DraftNotice({ game, draft, onDiscarded }: DraftNoticeProps) {
  const queries = useQueryClient();
  const discarding = useMutation({
    mutationFn: () => call(discardDraft, { uid: game.game_uid, saved_at: draft.saved_at }),
    onSuccess: (answer) => {
      queries.setQueryData(ask(getDraft, { uid: game.game_uid }).queryKey, answer);
      onDiscarded();
    },
  });
  return (
    <Notice tone="busy" title="This is a draft, which players don't see">
      <Text size="sm">
        Saved by {draft.saved_by}, <Time at={draft.saved_at} />.
      </Text>
      <Group gap="sm" mt="xs">
        <Button component="a" href={`/g/${game.slug}?preview=draft`} size="xs" variant="default">
          Preview the page
        </Button>
        <Button size="xs" variant="default" loading={discarding.isPending} onClick={() => discarding.mutate()}>
          Discard draft
        </Button>
      </Group>
      {discarding.error !== null && <Problem error={discarding.error} />}
    </Notice>
  );
}

const formatList = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

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

/** The label of the save button, which mentions players if they are affected. */
const SAVE_LABELS: Readonly<Record<Visibility, string>> = {
  public: 'Save and make public',
  invisible: 'Save and make invisible',
  draft: 'Save and make a draft',
};

type VisibilityChoiceProps = { saved: Visibility; selected: Visibility; onSelect: (value: string) => void };

function VisibilityChoice({ saved, selected, onSelect }: VisibilityChoiceProps) {
  return (
    <>
      <Radio.Group data-field="visibility" label="Visibility" value={selected} onChange={onSelect}>
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

const TYPING_DELAY_MS = 300;

type ListingPreviewProps = { fields: { name: string; tagline: string; description: string } };

/**
 * What is next to the form of a listing: how its texts will look on the game's page, what is missing before the store
 * can list it, and the code of its widget.
 */
function ListingPreview({ fields: { name, tagline, description } }: ListingPreviewProps) {
  return (
    <section className={classes.preview} aria-label="Preview">
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          Preview
        </Text>
        <Text size="xl" fw={800} lh={1.2} c="var(--strong)">
          {name}
        </Text>
        {tagline !== '' && <Text size="lg">{tagline}</Text>}
        <DescriptionPreview text={description} />
      </Stack>
    </section>
  );
}

/** The texts, which the server renders as on the page. */
function DescriptionPreview({ text }: { text: string }) {
  const [typed] = useDebouncedValue(text, TYPING_DELAY_MS);
  const { data, isError } = useQuery({
    ...ask(renderMarkdown, { text: typed }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  if (isError)
    return (
      <Text size="sm" c="dimmed">
        The preview can't be shown right now.
      </Text>
    );
  if (data?.html === '')
    return (
      <Text size="sm" c="dimmed">
        The description appears here.
      </Text>
    );
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server writes it, from a fixed list of elements
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: data?.html ?? '' }} />;
}

/** The rules about images, which are uploaded on the media page. */
const IMAGES: ReadonlySet<string> = new Set(['cover', 'thumbnail', 'screenshot']);

/** What is missing before the store can list a game, with what to do about each. */
function ListingCheck({ gameUid, slug }: { gameUid: string; slug: string }) {
  const { data, error, isPending, refetch } = useQuery(ask(getListing, { uid: gameUid }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={72} />;
  if (data.passed) {
    return (
      <Notice tone="good" title="Ready to be listed">
        Players can find it on the home page and by search.
      </Notice>
    );
  }
  const { missing } = data;
  return (
    <Notice tone="unsure" title={formatTitle(missing.length)}>
      <List size="sm" spacing={4}>
        {missing.map(({ rule, message, remedy }) => (
          <List.Item key={rule}>
            {message}{' '}
            {IMAGES.has(rule) ? (
              <SiteLink to="/dev/$slug/settings/media" params={{ slug }} size="sm" underline="always">
                Upload image
              </SiteLink>
            ) : (
              remedy
            )}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}

function formatTitle(missing: number): string {
  return missing === 1 ? '1 thing left before it can be listed' : `${missing} things left before it can be listed`;
}

const THEMES = [
  { value: 'auto', label: "Visitor's theme" },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

type Theme = (typeof THEMES)[number]['value'];

/** The HTML that shows the widget of a game on another website. */
function WidgetCode({ game }: { game: OpenGame }) {
  const [theme, setTheme] = useState<Theme>('auto');
  const address = `${location.origin}/g/${game.slug}/widget${theme === 'auto' ? '' : `?theme=${theme}`}`;
  return (
    <Section title="Widget for your website">
      <Stack gap="sm" maw="44rem">
        <Text size="sm">
          Paste this into a page to show the game with a button that leads here.{' '}
          {game.visibility === 'draft' && "Visitors see it once the game isn't a draft anymore. "}
          <DocLink page="shelves#widget" size="sm">
            About the widget
          </DocLink>
        </Text>
        <Group gap="md">
          <Choice label="Theme of the widget" value={theme} choices={THEMES} onChange={setTheme} />
          <Anchor href={address} target="_blank" size="sm">
            Open the widget
          </Anchor>
        </Group>
        <CopyText text={writeWidgetCode(address, game.name)} label="HTML of the widget" block />
      </Stack>
    </Section>
  );
}
