import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { download } from './download';

/** Recovery codes, which are shown once. */
export function RecoveryCodes({ codes, kept }: { codes: readonly string[]; kept: () => void }): ReactNode {
  const text = codes.join('\n');
  return (
    <>
      <p>
        Each of these codes works once in place of your second factor. They are shown only now. Keep them where you can
        reach them without this device.
      </p>
      <ol className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="button-row">
        <CopyButton text={text} what="the recovery codes" />
        <button
          type="button"
          className="small"
          onClick={() =>
            download('tributary-recovery-codes.txt', `Recovery codes of the Tributary developer console\n\n${text}\n`)
          }
        >
          Download as text
        </button>
      </div>
      <div className="actions">
        <button type="button" className="primary" onClick={kept}>
          I have kept them
        </button>
      </div>
    </>
  );
}
