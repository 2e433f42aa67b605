// Who is affected by crashes: the number of devices and sessions, and what their systems have in common, as a list of
// bars for each facet.
import { filterOfValue, formatFacet } from '@chauffeur/contract/crash-query';
import { formatCompactNumber, formatNumber, formatPercent } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { getImpact } from '@chauffeur/contract/operations/impact';
import { SimpleGrid, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../../api.ts';
import { type Figure, Figures } from '../../ui/Facts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './Facets.module.css';

type Facet = OutputOf<typeof getImpact>['facets'][number];
type Value = Facet['values'][number];

type FacetsProps = {
  facets: readonly Facet[];
  /** The number of reports from which the facets were counted. */
  reports: number;
  /** The link of a value: it is passed the filter and what is shown. */
  link: (filter: string, children: ReactNode) => ReactNode;
};

/** Bars for the values of each facet. Each value is a link to its filter. */
export function Facets({ facets, reports, link }: FacetsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg" verticalSpacing="md">
      {facets.map((facet) => (
        <section key={facet.facet} aria-label={formatFacet(facet.facet)} className={classes.facet}>
          <Text component="h3" size="sm" fw={600} truncate title={facet.facet}>
            {formatFacet(facet.facet)}
          </Text>
          <ul>
            {facet.values.map((value) => (
              <li key={value.value}>
                {link(
                  filterOfValue(facet.facet, value.value),
                  <Bar name={formatFacet(facet.facet)} value={value} reports={reports} />,
                )}
              </li>
            ))}
            {facet.other.reports > 0 && (
              <li className={classes.other}>
                <span>
                  {facet.other.values === 1 ? '1 other value' : `${formatNumber(facet.other.values)} other values`}
                </span>
                <span>{formatPercent(facet.other.reports / reports)}</span>
              </li>
            )}
          </ul>
        </section>
      ))}
    </SimpleGrid>
  );
}

type BarProps = { name: string; value: Value; reports: number };

/** Screen readers also read the name of the facet and the counts. */
function Bar({ name, value: { value, reports: count, devices }, reports }: BarProps) {
  const share = reports === 0 ? 0 : count / reports;
  return (
    <span className={classes.bar}>
      <VisuallyHidden>{name} </VisuallyHidden>
      <span className={classes.fill} style={{ width: `${(share * 100).toFixed(1)}%` }} />
      <span className={classes.value} title={value}>
        {value}
      </span>
      <span className={classes.share}>
        {formatPercent(share)}
        <span className={classes.count}>{formatCompactNumber(count)}</span>
      </span>
      <VisuallyHidden>: {formatCounts({ value, reports: count, devices })}</VisuallyHidden>
    </span>
  );
}

function formatCounts({ reports, devices }: Value): string {
  const ofReports = reports === 1 ? '1 report' : `${formatNumber(reports)} reports`;
  if (devices === 0) return ofReports;
  return `${ofReports}, ${devices === 1 ? '1 device' : `${formatNumber(devices)} devices`}`;
}

export type ImpactData = OutputOf<typeof getImpact>;
type Scope = { readonly group_id: string } | { readonly build_id: string };
type ImpactProps = {
  readonly game: OpenGame;
  readonly scope: Scope;
  /** The kind of a group's reports. */
  readonly kind?: ReportKind;
};

export function useImpact(game: OpenGame, scope: Scope) {
  return useQuery(ask(getImpact, { uid: game.game_uid, ...scope }));
}

/** The devices and sessions that reports of a group or build affected, their share, and the facets. */
export function Impact({ game, scope, kind = 'crash' }: ImpactProps) {
  const { data, error, isPending, refetch } = useImpact(game, scope);
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  return <ImpactNumbers slug={game.slug} impact={data} kind={kind} />;
}

function ImpactNumbers({ slug, impact, kind }: { slug: string; impact: ImpactData; kind: ReportKind }) {
  if (impact.reports === 0) return <Text size="sm">No processed reports are stored.</Text>;
  const { reports, devices, sessions, facets, counted } = impact;
  return (
    <Stack gap="md">
      <Figures
        figures={[
          { name: 'Stored reports', value: formatNumber(reports) },
          devices === 0
            ? { name: 'Devices', value: '–', note: 'none sent: set device_uid' }
            : { name: 'Devices', value: formatNumber(devices) },
          sessions === 0
            ? { name: 'Sessions', value: '–', note: 'none sent: set session_id' }
            : { name: 'Sessions', value: formatNumber(sessions) },
          ...(devices === 0 ? [] : [deviceShare(impact)]),
        ]}
      />
      {counted === 'newest' && (
        <Text size="sm" c="dimmed">
          The values below are from the newest {formatNumber(LIMITS.crashReportsCounted)} reports.
        </Text>
      )}
      <Facets
        facets={facets}
        reports={counted === 'newest' ? Math.min(reports, LIMITS.crashReportsCounted) : reports}
        link={(filter, children) => (
          <SiteLink
            to="/dev/$slug/crashes"
            params={{ slug }}
            search={{ kind: kind === 'error' ? kind : undefined, q: filter, view: undefined, sort: undefined }}
            className={classes.link}
          >
            {children}
          </SiteLink>
        )}
      />
    </Stack>
  );
}

/** The totals don't include devices that send reports but no events. */
function deviceShare({ devices, devices_of: total }: ImpactData): Figure {
  const name = 'Share of devices';
  if (total === null || total.devices < devices) return { name, value: '–', note: 'unknown: set up events' };
  const ofWhich = total.scope === 'game' ? 'devices that ever sent events' : 'devices with this build';
  const value = formatPercent(devices / total.devices);
  return { name, value, note: `of ${formatNumber(total.devices)} ${ofWhich}` };
}
