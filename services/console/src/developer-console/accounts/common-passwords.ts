/** Passwords of at least twelve characters that are in the published lists of the most common ones, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  password1234 password12345 password123456 password123! password2020 password2021 password2022 password2023
  password2024 password2025 password2026 passwordpassword p@ssword1234 p@ssw0rd1234 p@ssw0rd123! passw0rd1234
  mypassword123 mypassword1234 newpassword1 newpassword123 thepassword1 password@123 password@1234 password#123
  qwerty123456 qwerty1234567 qwerty12345678 qwertyuiop123 qwertyuiop12 qwertyuiop[] qwertyuiop[]\\ 1qaz2wsx3edc
  1qazxsw23edc qazwsxedcrfv zaq12wsxcde3 zaq1xsw2cde3 1q2w3e4r5t6y 1q2w3e4r5t6y7u q1w2e3r4t5y6 a1b2c3d4e5f6
  abc123456789 abcd12345678 abcdefg12345 abcdefgh1234 abcd1234abcd asdfghjkl123 asdfghjkl;'123 asdf1234asdf
  123456789abc 123456789qwe 1234567890qwerty 123456789012 1234567890ab 12345678910 123456789101 1234567891011
  123456789123 123123123123 112233445566 111222333444 000000000000 111111111111 987654321098 0987654321qwerty
  iloveyou1234 iloveyou12345 iloveyou123! iloveyouforever iloveyoubaby iloveyousomuch ilovemyfamily ilovemymom123
  welcome12345 welcome123456 welcome@1234 welcometothejungle letmein12345 letmein123456 letmeinplease changeme1234
  changeme12345 changemenow1 administrator administrator1 administrator123 admin1234567 admin12345678 admin@123456
  administrador superadmin123 rootpassword defaultpassword temppassword1 temporary123 testpassword testpassword1
  testtesttest test12345678 testing12345 guestpassword userpassword football1234 baseball1234 basketball12
  superman1234 batman123456 spiderman123 starwars1234 pokemon12345 dragon123456 monkey123456 shadow123456
  master123456 sunshine1234 princess1234 princess12345 charlie12345 michael12345 jennifer1234 jordan123456
  liverpool123 chelsea12345 manchester123 manchesterunited arsenal12345 barcelona123 realmadrid123 juventus1897
  computer1234 internet1234 samsung12345 microsoft123 facebook1234 google123456 whatever1234 trustno1trustno1
  correcthorsebatterystaple thisismypassword thisisapassword mynameisjohn nopassword123 iamthebest123 godisgood123
  jesuschrist1 jesusislord1 blessed12345 hello1234567 hello12345678 helloworld123 helloworld12 goodmorning1
  secret123456 supersecret1 topsecret123 secretpassword mysecret1234 access123456 security1234 summer123456
  summer2024!! winter2024!! spring2024!! autumn2024!! january12345 december1234 september123 november1234
  mustang12345 corvette1234 ferrari12345 harleydavidson mercedesbenz chocolate123 butterfly123 strawberry12
  healthcare123 hospital1234 medical12345 doctor123456 nursing12345 patient12345 tributary1234 tributary123
  developer123 developer1234 production123 database1234 postgres1234 kubernetes123
  `
    .trim()
    .split(/\s+/),
);
