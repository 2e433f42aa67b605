// The links of a listing: one address for each kind.
import { LIMITS } from '@chauffeur/contract/limits';
import { LINK_KINDS, type LinkKind } from '@chauffeur/contract/operations/games';
import { formatLinkKind } from '@chauffeur/contract/store-format';
import { Button, CloseButton, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { Facts } from './use-listing.ts';

type Links = Facts['links'];

export function LinkFields({ links, onChange }: { links: Links; onChange: (links: Links) => void }) {
  const used = new Set(links.map(({ kind }) => kind));
  const [unused] = LINK_KINDS.filter((kind) => !used.has(kind));
  const change = (index: number, changes: Partial<Links[number]>) =>
    onChange(links.map((link, at) => (at === index ? { ...link, ...changes } : link)));
  return (
    <Fieldset legend="Links" p={0} bd={0} bg="transparent">
      <Stack gap="xs" align="flex-start">
        {links.map(({ kind, url }, index) => (
          <Group key={kind} gap="xs" wrap="nowrap" align="flex-start" w="100%">
            <NativeSelect
              aria-label={`Kind of link ${index + 1}`}
              data={LINK_KINDS.filter((each) => each === kind || !used.has(each)).map((value) => ({
                value,
                label: formatLinkKind(value),
              }))}
              value={kind}
              onChange={({ currentTarget }) => change(index, { kind: currentTarget.value as LinkKind })}
            />
            <TextInput
              flex={1}
              type="url"
              required
              data-field={`links[${index}].url`}
              aria-label={`Address of ${formatLinkKind(kind)}`}
              placeholder="https://"
              pattern="https://.+"
              title="An address that starts with https://"
              maxLength={LIMITS.gameLinkLength}
              value={url}
              onChange={({ currentTarget }) => change(index, { url: currentTarget.value })}
            />
            <CloseButton
              mt={4}
              aria-label={`Remove ${formatLinkKind(kind)}`}
              onClick={() => onChange(links.filter((_, at) => at !== index))}
            />
          </Group>
        ))}
        {unused !== undefined && (
          <Button variant="default" size="compact-sm" onClick={() => onChange([...links, { kind: unused, url: '' }])}>
            Add link
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}
