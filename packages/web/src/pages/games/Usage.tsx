// How much of its limits a game uses, and a warning before a limit is reached.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getUsage } from '@chauffeur/contract/operations/usage';
import { Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { isNearLimit, type Meter, metersOf, shareOf } from './usage-meters.ts';
import type { OpenGame } from './use-game.ts';

type UsageData = OutputOf<typeof getUsage>;

const useUsage = (game: OpenGame) => useQuery(ask(getUsage, { uid: game.game_uid }));

export function Usage({ game }: { game: OpenGame }) {
  const { data, error, refetch } = useUsage(game);
  return (
    <Section title="Usage">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={120} /> : <Meters usage={data} />}
    </Section>
  );
}

function Meters({ usage }: { usage: UsageData }) {
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="xl" verticalSpacing="sm">
        {metersOf(usage).map((meter) => (
          <Stack key={meter.name} gap={4} justify="space-between">
            <Text size="sm">
              {meter.name}: {meter.text}
            </Text>
            {meter.limit > 0 && (
              <Progress
                value={100 * shareOf(meter)}
                color={isNearLimit(meter) ? 'yellow' : 'accent'}
                aria-label={meter.name}
                size="sm"
              />
            )}
          </Stack>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Crash limits reset at midnight UTC.
      </Text>
    </Stack>
  );
}

/** Renders nothing unless a limit is nearly reached. */
export function UsageNotice({ game }: { game: OpenGame }) {
  const { data } = useUsage(game);
  const near = data === undefined ? [] : metersOf(data).filter(isNearLimit);
  return near.map((meter) => <NearLimit key={meter.name} meter={meter} />);
}

function NearLimit({ meter }: { meter: Meter }) {
  const isReached = shareOf(meter) >= 1;
  return (
    <Notice tone={isReached ? 'bad' : 'unsure'} title={`${meter.name}: ${meter.text}`}>
      <Text size="sm">{isReached ? meter.whenReached : `When the limit is reached: ${meter.whenReached}`}</Text>
    </Notice>
  );
}
