// What the crashes of the current query have in common. A click on a value adds it to the query.
import { formatQuery, parseQuery } from '@chauffeur/contract/crash-query';
import { getImpact } from '@chauffeur/contract/operations/impact';
import { Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { formatItems } from '../../ui/format.ts';
import { Problem } from '../../ui/Problem.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './Facets.module.css';
import { Facets } from './Facets.tsx';
import { FoldedSection } from './FoldedSection.tsx';

type FacetPanelProps = { game: OpenGame; query: string; onChange: (query: string) => void };

export function FacetPanel(props: FacetPanelProps) {
  return (
    <FoldedSection title="Facets" note="GPU, driver, memory and more">
      <QueryFacets {...props} />
    </FoldedSection>
  );
}

function QueryFacets({ game, query, onChange }: FacetPanelProps) {
  const { data, error, isPending, refetch } = useQuery(
    ask(getImpact, { uid: game.game_uid, ...(query !== '' && { query }) }),
  );
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  if (data.facets.length === 0) return <Text size="sm">No processed reports match.</Text>;
  const { reports, devices, counted } = data;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {counted === 'newest' ? `The newest ${formatItems(reports, 'report')}` : formatItems(reports, 'report')}
        {devices > 0 && `, ${formatItems(devices, 'device')}`}
      </Text>
      <Facets
        facets={data.facets}
        reports={reports}
        link={(filter, children) => (
          <UnstyledButton className={classes.link} onClick={() => onChange(toggled(query, filter))}>
            {children}
          </UnstyledButton>
        )}
      />
    </Stack>
  );
}

/** The query with the filter, or without it if it has it already. */
function toggled(query: string, filter: string): string {
  const { terms } = parseQuery(query);
  const others = terms.filter((term) => formatQuery([term]) !== filter);
  return others.length < terms.length ? formatQuery(others) : `${formatQuery(terms)} ${filter}`.trim();
}
