// What is next to the form of a listing: how its texts will look on the game's page, what is missing before the store
// can list it, and the code of its widget.
import { renderMarkdown } from '@chauffeur/contract/operations/store';
import { Anchor, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import '../../markdown.css';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import classes from './ListingPage.module.css';
import type { OpenGame } from './use-game.ts';
import { writeWidgetCode } from './widget-code.ts';

const TYPING_DELAY_MS = 300;

type ListingPreviewProps = { fields: { name: string; tagline: string; description: string } };

export function ListingPreview({ fields: { name, tagline, description } }: ListingPreviewProps) {
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

/** The server renders the texts as on the page. */
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

/** Rules about images, which are uploaded on the media page. */
const IMAGES: ReadonlySet<string> = new Set(['cover', 'thumbnail', 'screenshot']);

/** What is missing before the store can list a game, with what to do about each. */
export function ListingCheck({ gameUid, slug }: { gameUid: string; slug: string }) {
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
export function WidgetCode({ game }: { game: OpenGame }) {
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
