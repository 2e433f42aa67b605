// The chats and webhooks that get a game's alerts.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  ALERT_KINDS,
  type AlertKind,
  addAlertDestination,
  DESTINATION_KINDS,
  deleteAlertDestination,
  listAlertDeliveries,
  listAlertDestinations,
  rotateAlertSecret,
  testAlertDestination,
  updateAlertDestination,
} from '@chauffeur/contract/operations/alerts';
import { Button, Checkbox, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { SecretText } from '../../ui/UnsavedWarning.tsx';
import { DESTINATION_NAMES, KIND_NAMES } from './AlertRules.tsx';

type Destination = OutputOf<typeof listAlertDestinations>['destinations'][number];

export function Destinations({ uid }: { uid: string }) {
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(ask(listAlertDestinations, { uid }));
  const [edited, setEdited] = useState<Destination | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Destination | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: [listAlertDestinations.id] });
    await queries.invalidateQueries({ queryKey: [listAlertDeliveries.id] });
  };
  const at = ({ destination_uid }: Destination) => ({ uid, destination_uid });
  const test = useMutation({
    mutationFn: (destination: Destination) => {
      setSaved(null);
      return call(testAlertDestination, at(destination));
    },
    onSuccess: reload,
  });
  const turn = useMutation({
    mutationFn: (destination: Destination) =>
      call(updateAlertDestination, { ...at(destination), enabled: !destination.enabled }),
    onSuccess: reload,
  });
  const rotation = useMutation({
    mutationFn: (destination: Destination) => call(rotateAlertSecret, at(destination)),
    onSuccess: (rotated) => setSecret(rotated.secret),
  });
  const deletion = useMutation({
    mutationFn: (destination: Destination) => call(deleteAlertDestination, at(destination)),
    onSuccess: async () => {
      setDeleted(null);
      await reload();
    },
  });
  const failure = error ?? test.error ?? turn.error ?? rotation.error;
  const columns: Column<Destination>[] = [
    {
      header: 'Destination',
      overflow: 'anywhere',
      cell: ({ name, kind, host, kinds }) => (
        <>
          <strong>{name}</strong>
          <Text size="sm" c="dimmed">
            {DESTINATION_NAMES[kind]} at {host}
            {kinds !== null && `: ${kinds.map((each) => KIND_NAMES[each].name).join(', ')}`}
          </Text>
        </>
      ),
    },
    { header: 'Last test', cell: ({ last_test: last }) => <Result result={last} none="Never tested" /> },
    { header: 'Last alert', cell: ({ last, last_test: test }) => <LastAlert last={last} test={test} /> },
    {
      header: 'On',
      cell: (destination) => (
        <Switch
          aria-label={`Send alerts to ${destination.name}`}
          checked={destination.enabled}
          disabled={turn.isPending}
          onChange={() => turn.mutate(destination)}
        />
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (destination) => (
        <Group gap={4} justify="flex-end">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Send test to ${destination.name}`}
            loading={test.isPending && test.variables === destination}
            onClick={() => test.mutate(destination)}
          >
            Send test
          </Button>
          {destination.kind === 'webhook' && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`New secret for ${destination.name}`}
              onClick={() => rotation.mutate(destination)}
            >
              New secret
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Edit ${destination.name}`}
            onClick={() => setEdited(destination)}
          >
            Edit
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Delete ${destination.name}`}
            onClick={() => setDeleted(destination)}
          >
            Delete
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="md">
      {failure !== null && <Problem error={failure} {...(error !== null && { onRetry: () => void refetch() })} />}
      {saved !== null && (
        <Notice tone="good" title={saved}>
          {saved.endsWith('a test to it') && <Text size="sm">Check that the message has arrived there.</Text>}
        </Notice>
      )}
      {test.data !== undefined && saved === null && (
        <Notice
          tone={test.data.state === 'sent' ? 'good' : 'bad'}
          title={test.data.state === 'sent' ? `Sent to ${test.data.to}` : `Not sent to ${test.data.to}`}
        >
          <Text size="sm">{test.data.problem ?? 'Check that the message has arrived there.'}</Text>
        </Notice>
      )}
      {secret !== null && (
        <Notice tone="good" title="Signing secret">
          <Text size="sm">Copy it now. You won't see it again.</Text>
          <SecretText text={secret} label="secret" />
        </Notice>
      )}
      <DataTable
        label="Chats and webhooks"
        columns={columns}
        rows={data?.destinations}
        rowKey={({ destination_uid }) => destination_uid}
        isLoading={isPending}
        skeletonRows={2}
        empty={<EmptyState>No chats or webhooks yet.</EmptyState>}
      />
      <Group>
        <Button variant="default" onClick={() => setEdited('new')}>
          Add a chat or webhook
        </Button>
      </Group>
      {edited !== null && (
        <DestinationDialog
          uid={uid}
          existing={edited === 'new' ? null : edited}
          onChange={reload}
          onClose={({ secret: shown, done }) => {
            setSecret(shown);
            setSaved(done);
            setEdited(null);
          }}
        />
      )}
      {deleted !== null && (
        <ConfirmDialog
          title={`Delete ${deleted.name}?`}
          confirmLabel="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={() => deletion.mutate(deleted)}
          onClose={() => setDeleted(null)}
        >
          <Text size="sm">It no longer gets alerts, and its delivery log is deleted.</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

type Kind = (typeof DESTINATION_KINDS)[number];

const KINDS = DESTINATION_KINDS.map((value) => ({ value, label: DESTINATION_NAMES[value] }));

/** Says where to find the address in each service. */
const SOURCES: Readonly<Record<Kind, string>> = {
  slack: 'The URL of an incoming webhook in your Slack app',
  discord: "Copy it from the channel's settings, under Integrations, Webhooks",
  teams: 'The URL of the workflow “Post to a channel when a webhook request is received”',
  webhook: 'Each message is posted to this URL as signed JSON',
};

/** An example of the address. */
const PLACEHOLDERS: Readonly<Record<Kind, string>> = {
  slack: 'https://hooks.slack.com/services/…',
  discord: 'https://discord.com/api/webhooks/…',
  teams: 'https://….logic.azure.com/workflows/…',
  webhook: 'https://',
};

/** The kind of chat whose addresses begin like this; undefined if it could be any webhook. */
function kindOfAddress(url: string): Kind | undefined {
  if (/^https:\/\/hooks\.slack(-gov)?\.com\//.test(url)) return 'slack';
  if (/^https:\/\/((ptb|canary)\.)?discord(app)?\.com\//.test(url)) return 'discord';
  if (/^https:\/\/[\w.-]+\.(logic\.azure|api\.powerplatform|webhook\.office(365)?)\.(com|us|cn)(:443)?\//.test(url))
    return 'teams';
  return undefined;
}

type DestinationDialogProps = {
  uid: string;
  /** The destination to change; null to add one. */
  existing: Destination | null;
  /** Called when a destination was added, changed or tested. */
  onChange: () => Promise<void>;
  /** `done` says what was done; null if nothing was, or if a test did not arrive. */
  onClose: (result: { secret: string | null; done: string | null }) => void;
};

/** A destination, with the secret of a webhook that was just added. */
type Stored = { readonly destination: Destination; readonly secret: string | null };

/**
 * The dialog that adds a chat or a webhook to a game's alerts, or changes one. The server sends a test to a new address.
 * If that fails, the destination stays, and so does the dialog with what was typed, to correct it and try again.
 */
function DestinationDialog({ uid, existing, onChange, onClose }: DestinationDialogProps) {
  const [chosen, setChosen] = useState<Kind | null>(null);
  const [name, setName] = useState(existing?.name ?? '');
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<readonly AlertKind[]>(existing?.kinds ?? ALERT_KINDS);
  const [stored, setStored] = useState<Stored | null>(existing && { destination: existing, secret: null });
  const kind = stored?.destination.kind ?? chosen ?? kindOfAddress(url.trim()) ?? 'slack';
  const address = url.trim();
  const fields = {
    name: name.trim() || DESTINATION_NAMES[kind],
    kinds: kinds.length === ALERT_KINDS.length ? null : [...kinds],
  };
  const isTested = existing === null || address !== '';
  const saving = useMutation({
    mutationFn: async (): Promise<{ problem: string | null; stored: Stored }> => {
      if (stored === null) {
        const added = await call(addAlertDestination, { uid, kind, url: address, ...fields });
        setStored(added);
        return { problem: added.destination.last_test?.problem ?? null, stored: added };
      }
      const at = { uid, destination_uid: stored.destination.destination_uid };
      await call(updateAlertDestination, { ...at, ...fields, ...(address !== '' && { url: address }) });
      if (!isTested) return { problem: null, stored };
      const { problem } = await call(testAlertDestination, at);
      return { problem, stored };
    },
    onSettled: onChange,
    onSuccess: ({ problem, stored: { secret } }) => {
      const verb = existing === null ? 'Added' : 'Changed';
      if (problem === null)
        onClose({ secret, done: `${verb} ${fields.name}${isTested ? ', and sent a test to it' : ''}` });
    },
  });
  const close = () => onClose({ secret: stored?.secret ?? null, done: null });
  return (
    <Dialog title={existing === null ? 'Add a chat or webhook' : `Edit ${existing.name}`} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="url"
            data-autofocus
            label="Address"
            description={
              existing === null
                ? SOURCES[kind]
                : `Leave it empty to keep the address at ${existing.host}, which is not shown again.`
            }
            type="url"
            required={existing === null}
            withAsterisk={false}
            placeholder={PLACEHOLDERS[kind]}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          {existing === null && (
            <NativeSelect
              data-field="kind"
              label="Send alerts to"
              description="Recognized by the address"
              data={KINDS}
              value={kind}
              disabled={stored !== null}
              onChange={({ currentTarget }) => setChosen(currentTarget.value as Kind)}
            />
          )}
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
            onChange={(next) => setKinds(ALERT_KINDS.filter((each) => next.includes(each)))}
          >
            <Stack gap={6} mt={4}>
              {ALERT_KINDS.map((each) => (
                <Checkbox key={each} value={each} label={KIND_NAMES[each].name} />
              ))}
            </Stack>
          </Checkbox.Group>
          {saving.error !== null && <Problem error={saving.error} />}
          {saving.data?.problem != null && (
            <Notice
              tone="bad"
              title={`${fields.name} was ${existing === null ? 'added' : 'changed'}, but the test didn't arrive`}
            >
              <Text size="sm">{saving.data.problem}</Text>
              <Text size="sm">
                {kind === 'webhook'
                  ? 'If it needs the signing secret first, close this to see the secret. Otherwise correct the address.'
                  : 'Correct the address, or close this and send a test later.'}
              </Text>
            </Notice>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {stored === null || existing !== null ? 'Cancel' : 'Close'}
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={kinds.length === 0}>
              {stored === null ? 'Add and send test' : isTested ? 'Save and send test' : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Whether a message arrived and when, or why it didn't. */
function Result({ result, none }: { result: Destination['last_test']; none: string }) {
  if (result === null) return none;
  return (
    <>
      <StateBadge tone={result.problem === null ? 'good' : 'bad'}>
        {result.problem === null ? 'Sent' : 'Failed'}
      </StateBadge>{' '}
      <Time at={result.at} />
      {result.problem !== null && (
        <Text size="sm" c="dimmed">
          {result.problem}
        </Text>
      )}
    </>
  );
}

function LastAlert({ last, test }: { last: Destination['last']; test: Destination['last_test'] }) {
  if (last === null) return 'None yet';
  // The newest message is the test.
  if (test !== null && last.at <= test.at) return 'None since the test';
  if (last.state === 'waiting')
    return (
      <>
        <StateBadge tone="busy">Waiting</StateBadge> <Time at={last.at} />
        {last.problem !== null && (
          <Text size="sm" c="dimmed">
            {last.problem}
          </Text>
        )}
      </>
    );
  return <Result result={last} none="" />;
}
