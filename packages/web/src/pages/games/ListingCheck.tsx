// What keeps a game from the shelves, each with what to do about it.
import { getListing } from '@chauffeur/contract/operations/shelves';
import { List, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

/** Rules that an image keeps: there is a page for them. */
const IMAGES: ReadonlySet<string> = new Set(['cover', 'thumbnail', 'screenshot']);

export function ListingCheck({ gameUid, slug }: { gameUid: string; slug: string }) {
  const { data, error, isPending, refetch } = useQuery(ask(getListing, { uid: gameUid }));
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (isPending) return <Skeleton h={72} />;
  if (data.passed) {
    return (
      <Notice tone="good" title="Fit for the shelves">
        Players find it on the start page and by search.
      </Notice>
    );
  }
  const { missing } = data;
  const count = missing.length === 1 ? 'One thing keeps' : `${missing.length} things keep`;
  return (
    <Notice tone="unsure" title={`${count} it from the shelves`}>
      <List size="sm" spacing={4}>
        {missing.map(({ rule, message, remedy }) => (
          <List.Item key={rule}>
            {message}{' '}
            {IMAGES.has(rule) ? (
              <SiteLink to="/dev/$slug/edit/images" params={{ slug }} size="sm" underline="always">
                Upload it
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
