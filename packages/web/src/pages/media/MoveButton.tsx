// The button that moves a screenshot or a video one place. At the end of the list it stays focusable, so that the keyboard
// focus is not lost there.
import { ActionIcon } from '@mantine/core';

type MoveButtonProps = {
  /** What is moved: `screenshot 2`. */
  name: string;
  direction: 'earlier' | 'later';
  isDisabled: boolean;
  onMove: () => void;
};

export function MoveButton({ name, direction, isDisabled, onMove }: MoveButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="sm"
      data-disabled={isDisabled}
      aria-disabled={isDisabled}
      aria-label={`Move ${name} ${direction}`}
      onClick={() => {
        if (!isDisabled) onMove();
      }}
    >
      {direction === 'earlier' ? '‹' : '›'}
    </ActionIcon>
  );
}
