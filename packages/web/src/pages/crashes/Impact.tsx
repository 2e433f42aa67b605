// Whom the crashes of a group or a build hit: devices, sessions, their share, and what their systems have in common.
import { formatNumber, formatPercent } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getImpact } from '@chauffeur/contract/operations/impact';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { type Figure, Figures } from '../../ui/Figures.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './Facets.module.css';
import { Facets } from './Facets.tsx';

export type ImpactData = OutputOf<typeof getImpact>;
type Scope = { readonly group_id: string } | { readonly build_id: string };

export function useImpact(game: OpenGame, scope: Scope) {
  return useQuery(ask(getImpact, { uid: game.game_uid, ...scope }));
}

export function Impact({ game, scope }: { game: OpenGame; scope: Scope }) {
  const { data, error, isPending, refetch } = useImpact(game, scope);
  if (error !== null && data === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  return <ImpactNumbers slug={game.slug} impact={data} />;
}

function ImpactNumbers({ slug, impact }: { slug: string; impact: ImpactData }) {
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
            search={{ q: filter, view: undefined, sort: undefined }}
            className={classes.link}
          >
            {children}
          </SiteLink>
        )}
      />
    </Stack>
  );
}

/** Devices that send only reports, and no events, are in no total. */
function deviceShare({ devices, devices_of: total }: ImpactData): Figure {
  const name = 'Share of devices';
  if (total === null || total.devices < devices) return { name, value: '–', note: 'unknown: set up events' };
  const ofWhich = total.scope === 'game' ? 'devices that ever sent events' : 'devices with this build';
  const value = formatPercent(devices / total.devices);
  return { name, value, note: `of ${formatNumber(total.devices)} ${ofWhich}` };
}
