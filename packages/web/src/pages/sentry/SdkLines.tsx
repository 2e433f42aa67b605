// The lines to copy into a game, for the SDK and the DSN that the visitor chooses.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listDsns } from '@chauffeur/contract/operations/dsns';
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { SDKS } from './sdks.ts';

const route = getRouteApi('/signed-in/dev/$slug/settings/sentry');

const SDK_CHOICES = SDKS.map(({ id, name }) => ({ value: id, label: name }));

type SdkLinesProps = {
  /** It has at least one. */
  dsns: OutputOf<typeof listDsns>['dsns'];
  slug: string;
};

export function SdkLines({ dsns, slug }: SdkLinesProps) {
  const { sdk: chosenSdk } = route.useSearch();
  const navigate = route.useNavigate();
  const [chosenDsn, setChosenDsn] = useState('');
  const sdk = SDKS.find(({ id }) => id === chosenSdk) ?? SDKS[0]!;
  const { dsn, dsn_id } = dsns.find((each) => each.dsn_id === chosenDsn) ?? dsns[0]!;
  return (
    <Section title="Set up the SDK">
      <Group gap="md" align="flex-end">
        <NativeSelect
          label="SDK"
          data={SDK_CHOICES}
          value={sdk.id}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: { sdk: value === SDKS[0]!.id ? undefined : value },
              replace: true,
              resetScroll: false,
            })
          }
        />
        {dsns.length > 1 && (
          <NativeSelect
            label="DSN"
            data={dsns.map((each) => ({ value: each.dsn_id, label: each.name }))}
            value={dsn_id}
            onChange={({ currentTarget }) => setChosenDsn(currentTarget.value)}
          />
        )}
      </Group>
      <Stack gap="sm" mt="xs">
        {sdk.steps.map(({ where, lines }) => (
          <div key={where}>
            <Text size="sm" mb={4}>
              {where}:
            </Text>
            <CopyText text={lines({ dsn, release: `${slug}@1.2.0` })} label={`lines for ${sdk.name}`} block />
          </div>
        ))}
        {sdk.note !== undefined && (
          <Text size="sm" c="dimmed">
            {sdk.note}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
