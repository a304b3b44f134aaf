import org.junit.jupiter.api.Test;

/** WebhookRetries for JUnit 5: `mvn test`. */
class WebhookRetriesTest {
  @Test
  void aWebhookIsRetriedUntilTheReceiverIsBack() throws Exception {
    new WebhookRetries().aWebhookIsRetriedUntilTheReceiverIsBack();
  }
}
