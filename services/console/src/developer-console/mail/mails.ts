/** A mail before it is sent. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** What a mail says: paragraphs, and at most one link, which follows the first paragraph. */
interface Content {
  subject: string;
  paragraphs: [first: string, ...others: string[]];
  link?: string;
}

/** The texts of all mails. Tokens are in the fragment of links, which browsers send to no server. */
export class Mails {
  constructor(private readonly baseUrl: string) {}

  verify(to: string, token: string): Mail {
    return mailOf(to, {
      subject: 'Verify your e-mail address',
      paragraphs: [
        'Open this link to verify your e-mail address for the Tributary developer console. It works once, for 24 hours, and asks for the password with which you have signed up.',
        'If you have not signed up, ignore this mail: without the link nobody can use the account.',
      ],
      link: this.#link('verify-email', token),
    });
  }

  /** Somebody has signed up with the address of an account. */
  alreadySignedUp(to: string): Mail {
    return mailOf(to, {
      subject: 'You have an account already',
      paragraphs: [
        'Somebody, probably you, has signed up for the Tributary developer console with this address, which has an account already. Nothing has changed. Sign in here, and request a new password if you have forgotten yours.',
        'If it was not you, ignore this mail.',
      ],
      link: `${this.baseUrl}/console`,
    });
  }

  resetPassword(to: string, token: string): Mail {
    return mailOf(to, {
      subject: 'Choose a new password',
      paragraphs: [
        'Open this link to choose a new password for the Tributary developer console. It works once, for an hour.',
        'If you have not requested it, ignore this mail: your password has not changed.',
      ],
      link: this.#link('reset-password', token),
    });
  }

  invitation(to: string, invitation: { organisation: string; inviter: string; token: string }): Mail {
    return mailOf(to, {
      subject: `Invitation to ${invitation.organisation}`,
      paragraphs: [
        `${invitation.inviter} invites you to the organisation ${invitation.organisation} in the Tributary developer console. Open this link to accept; it works for seven days, with an account of this address.`,
        'If you do not know the sender, ignore this mail.',
      ],
      link: this.#link('invitation', invitation.token),
    });
  }

  /** @param change completes "… of your account" */
  notice(to: string, change: string): Mail {
    return mailOf(to, {
      subject: 'Your account has changed',
      paragraphs: [
        `In the Tributary developer console, ${change}.`,
        'If it was not you, request a new password at once, end the other sessions, and tell the operator of this service.',
      ],
      link: `${this.baseUrl}/console`,
    });
  }

  #link(page: string, token: string): string {
    return `${this.baseUrl}/console/${page}#token=${token}`;
  }
}

function mailOf(to: string, { subject, paragraphs: [first, ...others], link }: Content): Mail {
  const parts = [first, ...(link === undefined ? [] : [link]), ...others];
  const html = parts.map((part) => {
    const shown = escapeHtml(part);
    return `<p>${part === link ? `<a href="${shown}">${shown}</a>` : shown}</p>`;
  });
  return {
    to,
    subject,
    text: `${parts.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(subject)}</title><body>${html.join('')}</body></html>`,
  };
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities.get(character) ?? '');
}
