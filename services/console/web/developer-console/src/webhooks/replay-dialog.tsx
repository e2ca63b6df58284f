import type { ReactNode } from 'react';
import { keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { CancelButton, DialogBox } from '../components/dialogs';
import { SelectField } from '../components/field';
import { Form, textOf } from '../components/form';
import { useToast } from '../components/toasts';
import { countText } from '../text';

const hourMs = 3_600_000;

/** Sends the events of a time range again. @param path of the endpoint in the API */
export function ReplayDialog({
  clientId,
  path,
  close,
}: {
  clientId: string;
  path: string;
  close: () => void;
}): ReactNode {
  const tell = useToast();
  const submit = async (data: FormData): Promise<void> => {
    const state = textOf(data, 'state');
    const { replayed } = await call<{ replayed: number }>('POST', `${path}/replay`, {
      since: new Date(Date.now() - Number(textOf(data, 'since')) * hourMs).toISOString(),
      ...(state === 'all' ? {} : { state }),
    });
    await refresh(keys.webhooks(clientId));
    tell(`${countText(replayed, 'event')} will be sent again.`);
    close();
  };
  return (
    <DialogBox title="Replay events" close={close}>
      <p>Each event is sent again under its webhook-id, the events of a connection in their order.</p>
      <Form
        submit={submit}
        action="Replay"
        fieldOf={{ too_many_events: 'since', webhook_endpoint_disabled: 'since' }}
        more={<CancelButton close={close} />}
      >
        <SelectField
          name="since"
          label="Events of the last"
          defaultValue="24"
          options={{ 1: 'hour', 6: '6 hours', 24: 'day', 72: '3 days', 168: '7 days', 360: '15 days' }}
        />
        <SelectField
          name="state"
          label="Which"
          defaultValue="missed"
          options={{
            missed: 'Those that were missed while it was disabled',
            failed: 'Those that were not accepted',
            delivered: 'Those that were delivered',
            all: 'All',
          }}
        />
      </Form>
    </DialogBox>
  );
}
