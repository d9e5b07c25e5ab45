import type { Messages } from '../messages'

const security = {
  'signIn.title': 'Sign in',
  'signIn.username': 'Username',
  'signIn.password': 'Password',
  'signIn.submit': 'Sign in',
  'signIn.wrong': 'The username or the password is wrong.',
  'signIn.offline': 'The service does not answer. Check the connection and try again.',
  'signIn.wait': { one: 'Wait {count} second, then try again.', other: 'Wait {count} seconds, then try again.' },
  'signIn.logo': 'Logo of {company}',
  'password.title': 'Choose a new password',
  'password.text':
    'Your password is temporary. Choose one that only you know: 10 to 256 characters, not your username.',
  'password.new': 'New password',
  'password.again': 'New password again',
  'password.short': 'A password has at least 10 characters.',
  'password.long': 'A password has at most 256 characters.',
  'password.differ': 'The two passwords differ.',
  'password.submit': 'Save and sign in',
  'password.expired': 'Five minutes have passed. Sign in once more with the temporary password.',
  'password.back': 'Back to sign-in',
  'lock.idle.title': 'Are you still there?',
  'lock.idle.text': 'Nobody has used this page for a while, so it is locked. Everything is as you left it.',
  'lock.expired.title': 'Your session has expired',
  'lock.expired.text': 'Sign in to go on. What you typed is kept.',
  'lock.ended.title': 'Your session was ended',
  'lock.ended.text':
    'Somebody signed in with your name on another device, or an administrator ended the session. What you typed is kept: sign in to go on here.',
  'lock.left.title': 'You signed out in another tab',
  'lock.left.text': 'Sign in to go on with this page. What you typed is kept.',
  'lock.otherUser.title': 'Somebody else signed in',
  'lock.otherUser.text':
    'In another tab of this browser somebody else signed in. What {name} typed here is kept: sign in as {name} to go on, or leave this page.',
  'lock.password': 'Password of {name}',
  'lock.wrong': 'The password is wrong.',
  'lock.submit': 'Go on',
  'lock.leave': 'Sign in as somebody else',
} as const satisfies Messages

export default security
