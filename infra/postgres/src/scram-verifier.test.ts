import { scramVerifier } from './scram-verifier';

describe('scramVerifier', () => {
  it('is what RFC 7677 derives from its example', () => {
    // The salt and the signatures of section 3 follow from these keys.
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
    expect(scramVerifier('pencil', salt)).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });

  it('has another salt each time, and does not contain the password', () => {
    expect(scramVerifier('a password')).not.toBe(scramVerifier('a password'));
    expect(scramVerifier('a password')).not.toContain('a password');
  });
});
