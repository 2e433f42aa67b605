// The page behind the link at the end of an email about alerts: stops such emails, without signing in.
import { unsubscribeFromAlerts } from '@chauffeur/contract/operations/alerts';
import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { send } from '../../api.ts';
import { Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';

const route = getRouteApi('/unsubscribe/$token');

export function UnsubscribePage() {
  const { token } = route.useParams();
  const ending = useMutation({ mutationFn: () => send(unsubscribeFromAlerts, { token }, new Uint8Array()) });
  return (
    <Panel>
      <PageHead title="Unsubscribe" />
      {ending.data === undefined ? (
        <>
          <Text>Stop emails with this game's alerts? You'll still get all other emails.</Text>
          {ending.error !== null && <Problem error={ending.error} />}
          <Group>
            <Button loading={ending.isPending} onClick={() => ending.mutate()}>
              Unsubscribe
            </Button>
          </Group>
        </>
      ) : (
        <Notice tone="good" title={`You'll no longer get alerts about ${ending.data.game} by email`}>
          <Text size="sm">To get them again, turn them on under Alerts in the game's settings.</Text>
        </Notice>
      )}
    </Panel>
  );
}
