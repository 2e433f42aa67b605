// The buttons at the end of a dialog with a form: Cancel and Submit, which has a label of its own.
import { Button, Group } from '@mantine/core';

type DialogButtonsProps = {
  /** The action, as its button says it: `Save search`. */
  submitLabel: string;
  isDisabled?: boolean;
  isBusy?: boolean;
  onClose: () => void;
};

export function DialogButtons({ submitLabel, isDisabled = false, isBusy = false, onClose }: DialogButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" disabled={isDisabled} loading={isBusy}>
        {submitLabel}
      </Button>
    </Group>
  );
}
