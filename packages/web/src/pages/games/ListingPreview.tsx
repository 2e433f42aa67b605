// How the texts of a listing will look on the game's page, next to the form and before they are saved.
import { renderMarkdown } from '@chauffeur/contract/operations/store';
import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import '../../markdown.css';
import classes from './ListingPage.module.css';

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

/** Rendered by the server, as on the page. */
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
