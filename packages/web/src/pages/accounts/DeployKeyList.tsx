// Deploy keys that work, by their games.
import { Code, List } from '@mantine/core';

type DeployKeyListProps = { keys: readonly { game_uid: string; name: string; key_ref: string }[] };

export function DeployKeyList({ keys }: DeployKeyListProps) {
  return (
    <List size="sm">
      {keys.map((key) => (
        <List.Item key={key.game_uid}>
          {key.name} <Code>{key.key_ref}…</Code>
        </List.Item>
      ))}
    </List>
  );
}
