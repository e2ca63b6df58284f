import { checkNewPassword } from './password-rule';

describe('the rule of new passwords', () => {
  const problemOf = (password: string): string | undefined => {
    try {
      checkNewPassword(password, 'ada.hart@example.org');
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['short', 'is shorter than 12 characters'],
    ['👩‍⚕️👩‍⚕️', 'is shorter than 12 characters'],
    ['my name is Ada.Hart', 'contains the e-mail address'],
    ['Password1234', 'is one of the most common ones'],
    ['qwertyuiopas', 'is one of the most common ones'],
    ['0987654321098', 'is one of the most common ones'],
    ['abababababab', 'is one of the most common ones'],
    ['change me secret', 'is made of common words'],
    ['abbabcaacbcba', 'has fewer than 6 different characters'],
  ])('refuses %s', (password, problem) => {
    expect(problemOf(password)).toContain(problem);
  });

  it('accepts what nobody guesses, whatever it is composed of', () => {
    for (const password of ['plain violet harbour 81', 'wkzqpvbnrtgs', '740 193 628 551', 'ein kleines blaues Zelt'])
      expect(problemOf(password)).toBeUndefined();
  });
});
