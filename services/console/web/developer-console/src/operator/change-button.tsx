import { type ReactNode, useState } from 'react';
import { keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Confirm } from '../components/dialogs';
import { useToast } from '../components/toasts';
import { useConfirmed } from '../layout/confirmed';

export interface ChangeButtonProps {
  /** The label of the button. */
  action: string;
  /** What is asked. */
  title: string;
  /** Whether others lose something by it. */
  isDanger?: boolean;
  method?: 'PATCH' | 'POST';
  /** Below `operator/`. */
  path: string;
  body: object;
  /** What is told when it is done. */
  done: string;
  children: ReactNode;
}

/** A change of the service, which asks before, and for a second factor if the last one is long ago. */
export function ChangeButton({
  action,
  title,
  isDanger = false,
  method = 'PATCH',
  path,
  body,
  done,
  children,
}: ChangeButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const confirmed = useConfirmed();
  const tell = useToast();
  return (
    <>
      <button type="button" className={isDanger ? 'danger' : ''} onClick={() => setAsking(true)}>
        {action}…
      </button>
      {isAsking && (
        <Confirm
          title={title}
          action={action}
          kind={isDanger ? 'primary danger' : 'primary'}
          close={() => setAsking(false)}
          confirm={async () => {
            await confirmed(() => call(method, `operator/${path}`, body));
            await refresh(keys.operator());
            tell(done);
          }}
        >
          {children}
        </Confirm>
      )}
    </>
  );
}
