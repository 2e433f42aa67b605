// What is missing before the store can list a game, with what to do about each.
import { getListing } from '@chauffeur/contract/operations/shelves';
import { List, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

/** Rules about images, which are uploaded on a page of their own. */
const IMAGES: ReadonlySet<string> = new Set(['cover', 'thumbnail', 'screenshot']);

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
