// The dialog that adds a chat or a webhook to a game's alerts.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  ALERT_KINDS,
  type AlertKind,
  addAlertDestination,
  DESTINATION_KINDS,
} from '@chauffeur/contract/operations/alerts';
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DESTINATION_NAMES, KIND_NAMES } from './kinds.ts';

type Kind = (typeof DESTINATION_KINDS)[number];

const KINDS = DESTINATION_KINDS.map((value) => ({ value, label: DESTINATION_NAMES[value] }));

/** Where the address comes from. */
const SOURCES: Readonly<Record<Kind, string>> = {
  slack: 'The URL of an incoming webhook in your Slack app',
  discord: "Copy it from the channel's settings, under Integrations, Webhooks",
  teams: 'The URL of the workflow “Post to a channel when a webhook request is received”',
  webhook: 'Each message is posted to this URL as signed JSON',
};

/** What the address looks like. */
const PLACEHOLDERS: Readonly<Record<Kind, string>> = {
  slack: 'https://hooks.slack.com/services/…',
  discord: 'https://discord.com/api/webhooks/…',
  teams: 'https://….logic.azure.com/workflows/…',
  webhook: 'https://',
};

type AddDestinationProps = {
  uid: string;
  onAdded: (added: OutputOf<typeof addAlertDestination>) => Promise<void>;
  onClose: () => void;
};

export function AddDestination({ uid, onAdded, onClose }: AddDestinationProps) {
  const [kind, setKind] = useState<Kind>('slack');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<readonly AlertKind[]>(ALERT_KINDS);
  const adding = useMutation({
    mutationFn: () =>
      call(addAlertDestination, {
        uid,
        kind,
        name: name.trim() || DESTINATION_NAMES[kind],
        url: url.trim(),
        kinds: kinds.length === ALERT_KINDS.length ? null : [...kinds],
      }),
    onSuccess: onAdded,
  });
  return (
    <Dialog title="Add a chat or webhook" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <Stack gap="md">
          <NativeSelect
            data-field="kind"
            label="Send alerts to"
            data={KINDS}
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
          />
          <TextInput
            data-field="url"
            label="Address"
            description={SOURCES[kind]}
            type="url"
            required
            withAsterisk={false}
            placeholder={PLACEHOLDERS[kind]}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <TextInput
            data-field="name"
            label="Name"
            description="Shown in the list of destinations"
            maxLength={80}
            placeholder={DESTINATION_NAMES[kind]}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Checkbox.Group
            data-field="kinds"
            label="Alerts to send"
            value={[...kinds]}
            onChange={(chosen) => setKinds(ALERT_KINDS.filter((each) => chosen.includes(each)))}
          >
            <Stack gap={6} mt={4}>
              {ALERT_KINDS.map((each) => (
                <Checkbox key={each} value={each} label={KIND_NAMES[each].name} />
              ))}
            </Stack>
          </Checkbox.Group>
          {adding.error !== null && <Problem error={adding.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={adding.isPending} disabled={kinds.length === 0}>
              Add and send test
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
