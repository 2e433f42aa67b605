// The event explorer of a game: how often events occurred over time, by build or OS, and the stored data of one device.
import { listEventNames } from '@chauffeur/contract/operations/events';
import { Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import type { Step } from '../../charts/series.ts';
import { toggled, writeList } from '../../charts/series.ts';
import { Choice } from '../../ui/Choice.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { DeviceSection } from './DeviceSection.tsx';
import { EventChart } from './EventChart.tsx';
import { EventNames } from './EventNames.tsx';
import classes from './EventsPage.module.css';
import { type Explorer, namesShown, RANGES, readExplorer, SPLITS, STEPS } from './explore.ts';
import { SendEvents } from './SendEvents.tsx';

const route = getRouteApi('/signed-in/dev/$slug/events');

export function EventsPage() {
  const game = useGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery(ask(listEventNames, { uid: game.game_uid }));
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const explorer = readExplorer(search);
  const names = namesShown(explorer, data?.names ?? []);
  return (
    <Stack gap="lg">
      <PageHead title="Events" tabTitle={`Events · ${game.name}`} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data?.names.length === 0 && (
        <SendEvents game={game}>
          No events in the last 30 days. They appear here as soon as your game sends them.
        </SendEvents>
      )}
      {data !== undefined && data.names.length > 0 && (
        <>
          <Controls explorer={explorer} onChange={change} />
          <div className={classes.columns}>
            <EventNames
              events={data.names}
              selected={names}
              isSingle={explorer.split !== 'none'}
              onSelect={(selected) => change({ events: writeList(selected), hidden: undefined })}
            />
            <EventChart
              gameUid={game.game_uid}
              explorer={explorer}
              names={names}
              onToggle={(key) => change({ hidden: writeList(toggled(explorer.hidden, key)) })}
              onTable={(hasTable) => change({ table: hasTable ? '1' : undefined })}
            />
          </div>
        </>
      )}
      <DeviceSection
        key={search.device}
        gameUid={game.game_uid}
        device={search.device}
        onDevice={(device) => change({ device })}
      />
    </Stack>
  );
}

const STEP_LABELS: Readonly<Record<Step, string>> = { hour: 'By hour', day: 'By day' };

type Changed = { range?: string; step?: string; split?: string | undefined; hidden?: undefined };

function Controls({ explorer, onChange }: { explorer: Explorer; onChange: (changed: Changed) => void }) {
  const { range, step, split } = explorer;
  const steps = STEPS[range].map((value) => ({ value, label: STEP_LABELS[value] }));
  return (
    <Group gap="md">
      <Choice label="Range" value={range} choices={RANGES} onChange={(value) => onChange({ range: value })} />
      {steps.length > 1 && (
        <Choice label="Interval" value={step} choices={steps} onChange={(value) => onChange({ step: value })} />
      )}
      <Choice
        label="Split by"
        value={split}
        choices={SPLITS}
        onChange={(value) => onChange({ split: value === 'none' ? undefined : value, hidden: undefined })}
      />
    </Group>
  );
}
