package test.tapedeck.junit;

/** The emulator refused a request, or could not be started or reached. */
public final class TapedeckException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TapedeckException(String message, Throwable cause) {
    super(message, cause);
  }

  TapedeckException(String message) {
    super(message);
  }
}
