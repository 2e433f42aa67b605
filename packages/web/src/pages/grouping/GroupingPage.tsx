// A game's grouping rules, with a preview on its newest crash reports.
import { formatNumber } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  type GroupingRule,
  getGroupingRules,
  previewGroupingRules,
  RULE_EFFECTS,
  setGroupingRules,
} from '@chauffeur/contract/operations/grouping-rules';
import { ActionIcon, Button, Code, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { useKeepDraft, useKeptDraft } from '../../frame/keep-typed.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Notice, PageHead, Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink, SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import { useGame } from '../games/use-game.ts';

type Rules = OutputOf<typeof getGroupingRules>;
type Preview = OutputOf<typeof previewGroupingRules>;
type Move = Preview['moves'][number];

const EFFECTS: Readonly<Record<GroupingRule['effect'], string>> = {
  irrelevant: 'are ignored',
  prefix: 'count together with the next frame',
  top: 'are the top of the stack',
  end: 'end the signature',
};

const REFRESH_MS = 3000;

export function GroupingPage() {
  const game = useGame();
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery({
    ...ask(getGroupingRules, { uid }),
    refetchInterval: ({ state }) => (state.data?.regrouping === true ? REFRESH_MS : false),
  });
  return (
    <Stack gap="md">
      <PageHead title="Crash grouping" tabTitle={`Crash grouping · ${game.name}`} />
      <Text size="sm">
        Crash reports are grouped by the frames that matter. Use these rules to say how frames of your own code count,
        such as those of a logger or an error handler. See <DocLink page="triage">Triage</DocLink>.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton h={220} />
      ) : (
        <>
          <RulesForm key={uid} uid={uid} slug={game.slug} saved={data.rules} />
          <LastChange rules={data} />
        </>
      )}
    </Stack>
  );
}

function LastChange({ rules: { changed_at: changedAt, changed_by: changedBy, regrouping } }: { rules: Rules }) {
  if (changedAt === null) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Changed by {changedBy} · <Time at={changedAt} />
      </Text>
      {regrouping && <Notice tone="busy" title="Existing reports are moving to their groups." />}
    </Stack>
  );
}

/** A rule that is being edited. It has a key, because two rules may be equal. */
type EditedRule = GroupingRule & { readonly key: number };

const isSame = (a: readonly GroupingRule[], b: readonly GroupingRule[]) => JSON.stringify(a) === JSON.stringify(b);

function RulesForm({ uid, slug, saved }: { uid: string; slug: string; saved: readonly GroupingRule[] }) {
  const queries = useQueryClient();
  const kept = useKeptDraft<{ start: readonly GroupingRule[]; rules: readonly GroupingRule[] }>('rules');
  const [start, setStart] = useState(kept?.start ?? saved);
  const [rules, setRules] = useState<readonly EditedRule[]>(() =>
    (kept?.rules ?? saved).map((rule, key) => ({ ...rule, key })),
  );
  const [nextKey, setNextKey] = useState(rules.length);
  const begin = (from: readonly GroupingRule[]) => {
    setStart(from);
    setRules(from.map((rule, index) => ({ ...rule, key: nextKey + index })));
    setNextKey(nextKey + from.length);
  };
  const edited = rules.map(({ frames, effect }) => ({ frames: frames.trim(), effect }));
  const isComplete = edited.every(({ frames }) => /[^*]/.test(frames));
  const isChanged = !isSame(edited, start);
  useKeepDraft('rules', () => (isChanged ? { start, rules: edited } : undefined));
  // The rules were just saved, or someone else saved them in the meantime.
  if (!isSame(saved, start) && (!isChanged || isSame(saved, edited))) begin(saved);
  const preview = useMutation({ mutationFn: () => call(previewGroupingRules, { uid, rules: edited }) });
  const saving = useMutation({
    mutationFn: () => call(setGroupingRules, { uid, rules: edited }),
    onSuccess: async () => {
      preview.reset();
      await queries.invalidateQueries({ queryKey: [getGroupingRules.id] });
    },
  });
  const change = (key: number, changed: Partial<GroupingRule>) => {
    setRules(rules.map((rule) => (rule.key === key ? { ...rule, ...changed } : rule)));
    preview.reset();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        preview.mutate();
      }}
    >
      <Stack gap="md">
        {rules.length === 0 && <Text size="sm">This game has no rules yet.</Text>}
        <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Rules">
          {rules.map(({ key, frames, effect }, index) => (
            <Group key={key} component="li" gap="xs" wrap="nowrap" align="center">
              <TextInput
                data-field={`rules[${index}].frames`}
                aria-label={`Frames of rule ${index + 1}`}
                placeholder="Log::*"
                maxLength={LIMITS.groupingPatternLength}
                value={frames}
                style={{ flex: '1 1 12rem' }}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                onChange={({ currentTarget }) => change(key, { frames: currentTarget.value })}
              />
              <NativeSelect
                data-field={`rules[${index}].effect`}
                aria-label={`Effect of rule ${index + 1}`}
                data={RULE_EFFECTS.map((value) => ({ value, label: EFFECTS[value] }))}
                value={effect}
                onChange={({ currentTarget: { value } }) =>
                  change(key, { effect: RULE_EFFECTS.find((each) => each === value) ?? 'irrelevant' })
                }
              />
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={`Remove rule ${index + 1}`}
                onClick={() => {
                  setRules(rules.filter((rule) => rule.key !== key));
                  preview.reset();
                }}
              >
                ×
              </ActionIcon>
            </Group>
          ))}
        </Stack>
        <Text size="sm" c="dimmed">
          Write names as in signatures; <Code>*</Code> matches any characters. The first rule that matches a frame
          applies, before the built-in rules.
        </Text>
        <Group gap="sm">
          <Button
            variant="default"
            disabled={rules.length >= LIMITS.groupingRules}
            onClick={() => {
              setRules([...rules, { frames: '', effect: 'irrelevant', key: nextKey }]);
              setNextKey(nextKey + 1);
            }}
          >
            Add rule
          </Button>
          <Button
            type="submit"
            variant={preview.data === undefined ? 'filled' : 'default'}
            disabled={!isChanged || !isComplete}
            loading={preview.isPending}
          >
            Preview
          </Button>
          {preview.data !== undefined && (
            <Button loading={saving.isPending} onClick={() => saving.mutate()}>
              Save rules
            </Button>
          )}
        </Group>
        {!isSame(saved, start) && (
          <Notice tone="unsure" title="Someone else has saved other rules in the meantime.">
            <Text size="sm">Saving yours replaces them.</Text>
            <Group>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  begin(saved);
                  preview.reset();
                }}
              >
                Discard mine
              </Button>
            </Group>
          </Notice>
        )}
        {preview.error !== null && <Problem error={preview.error} onRetry={() => preview.mutate()} />}
        {saving.error !== null && <Problem error={saving.error} onRetry={() => saving.mutate()} />}
        {preview.data !== undefined && <PreviewResult slug={slug} preview={preview.data} />}
      </Stack>
      <UnsavedChanges isChanged={isChanged} name="rules" />
    </form>
  );
}

function PreviewResult({ slug, preview }: { slug: string; preview: Preview }) {
  const { reports, moved, groups_before: before, groups_after: after, moves } = preview;
  return (
    <Section title="Preview">
      <Text size="sm" role="status">
        {reports === 0
          ? 'No report has a stack yet.'
          : `Of the last ${formatNumber(reports)} reports, ${formatNumber(moved)} would move. They are in ${formatNumber(before)} groups, and would be in ${formatNumber(after)}.`}
      </Text>
      {moves.length > 0 && (
        <DataTable
          label="Reports that would move"
          columns={moveColumns(slug)}
          rows={moves}
          rowKey={({ from, to }, index) => `${from.group_id} ${to.group_id ?? index}`}
          isFixed
        />
      )}
    </Section>
  );
}

function moveColumns(slug: string): Column<Move>[] {
  const groupCell = ({ group_id: groupId, title }: Move['from']) =>
    groupId === null ? (
      <>{title} (new)</>
    ) : (
      <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }} size="sm">
        {title}
      </SiteLink>
    );
  return [
    { header: 'From', overflow: 'ellipsis', title: ({ from }) => from.title, cell: ({ from }) => groupCell(from) },
    { header: 'To', overflow: 'ellipsis', title: ({ to }) => to.title, cell: ({ to }) => groupCell(to) },
    { header: 'Reports', align: 'right', width: 80, cell: ({ reports }) => formatNumber(reports) },
  ];
}
