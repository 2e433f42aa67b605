// The alerts of a game: which are sent, when and where, and what was sent.
import {
  getAlerts,
  listAlertDeliveries,
  listAlertDestinations,
  subscribeToAlerts,
  updateAlerts,
} from '@chauffeur/contract/operations/alerts';
import { Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Permitted, PermittedFields } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';
import { Rules, Schedule } from './AlertRules.tsx';
import type { AlertSettings } from './alert-kinds.ts';
import { Deliveries } from './Deliveries.tsx';
import { Destinations } from './Destinations.tsx';

export function AlertsPage() {
  const game = useGame();
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery(ask(getAlerts, { uid }));
  return (
    <Stack gap="lg">
      <Stack gap="md">
        <PageHead title="Alerts" tabTitle={`Alerts · ${game.name}`} />
        <Text size="sm">
          Get notified about this game by email, in a chat or by webhook. See <DocLink page="alerts">Alerts</DocLink>.
        </Text>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined ? (
          error === null && <Skeleton h={{ base: 1400, sm: 960 }} />
        ) : (
          <>
            <EmailSection uid={uid} mail={data.mail} />
            <PermittedFields operation={updateAlerts} to="change these rules">
              <Rules uid={uid} settings={data} />
              <Schedule key={uid} uid={uid} settings={data} />
            </PermittedFields>
          </>
        )}
      </Stack>
      <Section title="Chats and webhooks">
        <Permitted operation={listAlertDestinations} to="see and change them">
          <Destinations uid={uid} />
        </Permitted>
      </Section>
      <Section title="Messages from the last 30 days">
        <Permitted operation={listAlertDeliveries} to="see them">
          <Deliveries uid={uid} />
        </Permitted>
      </Section>
    </Stack>
  );
}

function EmailSection({ uid, mail: { subscribed, subscribers } }: { uid: string; mail: AlertSettings['mail'] }) {
  const queries = useQueryClient();
  const choosing = useMutation({
    mutationFn: (choice: boolean) => call(subscribeToAlerts, { uid, subscribed: choice }),
    onSuccess: (changed) => queries.setQueryData(ask(getAlerts, { uid }).queryKey, changed),
  });
  return (
    <>
      <Switch
        label="Email me this game's alerts"
        description={subscribers.length === 0 ? 'No one gets them by email.' : `Sent to ${subscribers.join(', ')}`}
        checked={subscribed}
        disabled={choosing.isPending}
        onChange={({ currentTarget }) => choosing.mutate(currentTarget.checked)}
      />
      {choosing.error !== null && <Problem error={choosing.error} />}
    </>
  );
}
