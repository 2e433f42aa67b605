// The DSNs of a game, the lines with which each of Sentry's SDKs reports to one, and what arrived with them.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { createDsn, getSentryActivity, listDsns, renameDsn, revokeDsn } from '@chauffeur/contract/operations/dsns';
import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { LastUse } from '../../ui/credentials.tsx';
import { type Column, DataTable, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/Dialog.tsx';
import { FoldedSection, Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { ACTIVITY_DAYS, Activity } from './Activity.tsx';
import { SdkLines } from './SdkLines.tsx';
import { SentryCli } from './SentryCli.tsx';
import { addressProblem } from './sdks.ts';
import { UnregisteredReleases } from './UnregisteredReleases.tsx';

type Dsn = OutputOf<typeof createDsn>;
type Step = { readonly kind: 'create' } | { readonly kind: 'rename' | 'revoke'; readonly dsn: Dsn };

export function SentryPage() {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(listDsns, { uid: game.game_uid }));
  const [step, setStep] = useState<Step | null>(null);
  const mayChange = useMay(createDsn);
  const active = data?.dsns.filter(({ state }) => state === 'active');
  const revoked = data?.dsns.filter(({ state }) => state === 'revoked') ?? [];
  const problem = data?.dsns[0] === undefined ? null : addressProblem(data.dsns[0].dsn);
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <PageHead title="Sentry SDKs" tabTitle={`Sentry SDKs · ${game.name}`} />
        <Text size="sm">
          Use one of these DSNs in the SDK of your game, instead of the one from Sentry.{' '}
          <DocLink page="sentry" size="sm">
            How to set up each SDK
          </DocLink>
        </Text>
        <Permitted operation={createDsn} to="create and revoke DSNs">
          {null}
        </Permitted>
        {problem !== null && (
          <Notice tone="unsure" title={problem}>
            <DocLink page="configure" size="sm">
              Set the public address
            </DocLink>
          </Notice>
        )}
      </Stack>
      <Section
        title="DSNs"
        actions={
          mayChange && (
            <Button size="xs" onClick={() => setStep({ kind: 'create' })}>
              Create DSN
            </Button>
          )
        }
      >
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        <DataTable
          label="DSNs"
          columns={dsnColumns(mayChange ? (kind, dsn) => setStep({ kind, dsn }) : null)}
          rows={active}
          rowKey={({ dsn_id }) => dsn_id}
          isLoading={isPending}
          skeletonRows={2}
          empty={
            <EmptyState>No DSNs yet.{mayChange && ' Create one, and put it into the SDK of your game.'}</EmptyState>
          }
        />
        {revoked.length > 0 && (
          <FoldedSection title="Revoked DSNs" note={revoked.length}>
            <DataTable label="Revoked DSNs" columns={REVOKED_COLUMNS} rows={revoked} rowKey={({ dsn_id }) => dsn_id} />
          </FoldedSection>
        )}
      </Section>
      {active?.[0] !== undefined && <SdkLines dsns={active} slug={game.slug} />}
      {data !== undefined && data.dsns.length > 0 && <Received game={game} />}
      <SentryCli game={game} />
      {step !== null && <StepDialog key={step.kind} uid={game.game_uid} step={step} onClose={() => setStep(null)} />}
    </Stack>
  );
}

/** What arrived with all DSNs. */
function Received({ game }: { game: OpenGame }) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getSentryActivity, { uid: game.game_uid, days: ACTIVITY_DAYS }),
    meta: follow('crashes'),
  });
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={160} />}
      {data !== undefined && <UnregisteredReleases game={game} releases={data.releases} />}
      {data !== undefined && <Activity {...data} />}
    </>
  );
}

const DSN_COLUMN: Column<Dsn> = {
  header: 'DSN',
  isLong: true,
  cell: ({ dsn, name }) => <CopyText text={dsn} label={`DSN ${name}`} block />,
};

const USE_COLUMN: Column<Dsn> = {
  header: 'Last used',
  overflow: 'nowrap',
  cell: ({ last_used_at }) => <LastUse at={last_used_at} from={null} />,
};

/** `onAct` is null for people who may not change anything. */
function dsnColumns(onAct: ((kind: 'rename' | 'revoke', dsn: Dsn) => void) | null): Column<Dsn>[] {
  const columns: Column<Dsn>[] = [
    {
      header: 'Name',
      cell: ({ name, created_at, created_by }) => (
        <>
          <span className={table.main}>{name}</span>
          <Text size="xs" c="dimmed">
            <Time at={created_at} /> by {created_by}
          </Text>
        </>
      ),
    },
    DSN_COLUMN,
    USE_COLUMN,
  ];
  if (onAct === null) return columns;
  return [
    ...columns,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (dsn) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {(['rename', 'revoke'] as const).map((kind) => (
            <Button
              key={kind}
              size="compact-xs"
              variant="default"
              aria-label={`${LABELS[kind]} ${dsn.name}`}
              onClick={() => onAct(kind, dsn)}
            >
              {LABELS[kind]}
            </Button>
          ))}
        </Group>
      ),
    },
  ];
}

const LABELS = { rename: 'Rename', revoke: 'Revoke' } as const;

const REVOKED_COLUMNS: readonly Column<Dsn>[] = [
  { header: 'Name', className: table.main, cell: ({ name }) => name },
  DSN_COLUMN,
  { header: 'Revoked', overflow: 'nowrap', cell: ({ revoked_at }) => revoked_at !== null && <Time at={revoked_at} /> },
  USE_COLUMN,
];

type StepDialogProps = { uid: string; step: Step; onClose: () => void };

/** The dialog that creates, renames or revokes a DSN. */
function StepDialog({ uid, step, onClose }: StepDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(step.kind === 'create' ? '' : step.dsn.name);
  const acting = useMutation({
    mutationFn: () => {
      if (step.kind === 'create') return call(createDsn, { uid, name });
      const { dsn_id } = step.dsn;
      return step.kind === 'rename' ? call(renameDsn, { uid, dsn_id, name }) : call(revokeDsn, { uid, dsn_id });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [listDsns.id] });
      onClose();
    },
  });
  const state = { isBusy: acting.isPending, error: acting.error, onClose };
  if (step.kind === 'revoke')
    return (
      <ConfirmDialog
        {...state}
        title={`Revoke “${step.dsn.name}”?`}
        confirmLabel="Revoke DSN"
        onConfirm={() => acting.mutate()}
      >
        <Text size="sm">
          Every copy of the game that has this DSN can no longer report anything. This can't be undone: to change it,
          you need to ship a new build with another DSN.
        </Text>
        <Text size="sm">
          Last used: <LastUse at={step.dsn.last_used_at} from={null} />
        </Text>
      </ConfirmDialog>
    );
  return (
    <FormDialog
      {...state}
      title={step.kind === 'create' ? 'Create a DSN' : `Rename “${step.dsn.name}”`}
      submitLabel={step.kind === 'create' ? 'Create DSN' : 'Rename'}
      onSubmit={() => acting.mutate()}
    >
      <TextInput
        data-field="name"
        label="Name"
        {...(step.kind === 'create' && { description: 'For example, the platform or the store of the builds with it' })}
        required
        maxLength={LIMITS.dsnNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
